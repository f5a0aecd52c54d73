import { UnknownModelError } from '#server/core/errors';
import type { ModelChoice, ModelRegistry, ResolvedModel } from '#server/models/model-registry';
import { LOCAL_PREFIX } from '#server/models/providers/openai-compatible';

type Models = Pick<ModelRegistry, 'list' | 'resolve'>;

/**
 * The model that a client means: besides our own ids also the bare name of one that the local server lists, as clients
 * that were set up for that server send it.
 * @throws UnknownModelError, InvalidInputError
 */
export function findClientModel(models: Models, modelId: string): ResolvedModel {
  try {
    return models.resolve(modelId);
  } catch (error) {
    const local = `${LOCAL_PREFIX}${modelId}`;
    if (error instanceof UnknownModelError && models.list().some(({ id }) => id === local))
      return models.resolve(local);
    throw error;
  }
}

/** One model in OpenAI's shape, with the window as OpenRouter and LM Studio tell it. */
export function toWireModel({ id, name, provider, contextWindow, maxOutputTokens, acceptsImages }: ModelChoice) {
  return {
    id,
    object: 'model',
    // Nobody tells when; clients only need a number.
    created: 0,
    owned_by: provider,
    name,
    context_window: contextWindow,
    context_length: contextWindow,
    max_output_tokens: maxOutputTokens,
    input_modalities: acceptsImages ? ['text', 'image'] : ['text'],
  };
}
