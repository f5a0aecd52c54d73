import { generateText } from 'ai';
import { pictureInstructions } from '#prompts/prompts';
import { classifyProviderError } from '#server/conversation/step/provider-errors';
import { ThroughlineError, ToolError } from '#server/core/errors';
import { shrinkPicture } from '#server/site/media/prepare-picture';
import type { ModelRegistry } from '#server/models/model-registry';
import type { AskAboutPicture } from '#server/tools/media-tools';

/** Enough for a long answer, and for the reasoning of a model before it. A choice, not measured. */
const MOST_TOKENS = 4_000;
/** Longest side that is sent, in pixels: all providers scale larger images down, but charge for them. */
const MAX_SIDE = 2_000;

/** Asks the model that is set for pictures: one call without tools or retries per question. */
export function createPictureQuestions(models: ModelRegistry): AskAboutPicture {
  return async ({ data, mediaType, question, bill }, signal) => {
    const id = models.pictureModelId;
    if (id === null) throw new ToolError('No model for pictures is set any more.');
    const { text } = await answerOf(async () =>
      generateText({
        model: models.resolve(id).open({ ...bill, kind: 'picture' }),
        instructions: pictureInstructions,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'file', mediaType, data: await shrinkPicture(data, MAX_SIDE) },
              { type: 'text', text: question },
            ],
          },
        ],
        maxOutputTokens: MOST_TOKENS,
        maxRetries: 0,
        abortSignal: signal,
      }),
    );
    if (text.trim() === '') throw new ToolError(`${id}, the model for pictures, said nothing.`);
    return text.trim();
  };
}

/** @throws our own errors unchanged, ToolError for a failure of the provider */
async function answerOf<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ThroughlineError) throw error;
    throw new ToolError(`The picture could not be looked at. ${classifyProviderError(error).message}`);
  }
}
