import { UnknownModelError } from '#server/core/errors';
import type { ModelChoice } from '#server/models/model-choice';
import type { ModelRegistry, ResolvedModel } from '#server/models/model-registry';
import { LOCAL_PREFIX } from '#server/models/providers';

/* The models as clients of /v1 name and list them. */

type Models = Pick<ModelRegistry, 'list' | 'resolve'>;

/**
 * Finds the model that a client names: by one of our ids, or by the bare name of a model on the local server, which
 * clients configured for that server send.
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

/** Converts a model to OpenAI's format, with its context window in the fields that OpenRouter and LM Studio use. */
export function toWireModel({ id, name, provider, contextWindow, maxOutputTokens, acceptsImages }: ModelChoice) {
  return {
    id,
    object: 'model',
    // Unknown; clients only require a number.
    created: 0,
    owned_by: provider,
    name,
    context_window: contextWindow,
    context_length: contextWindow,
    max_output_tokens: maxOutputTokens,
    input_modalities: acceptsImages ? ['text', 'image'] : ['text'],
  };
}
