import { InvalidInputError } from '#server/core/errors';
import { fromExportedMessages, isExportedMessages, resemblesExported } from '#server/context/import/exported-messages';
import type { ImportedMessages } from '#server/context/import/imported-messages';
import { fromModelMessages, isModelMessages } from '#server/context/import/model-messages';
import { fromOpenAIMessages, isOpenAIMessages } from '#server/context/import/openai-messages';
import { fromUIMessages, isUIMessages } from '#server/context/import/ui-messages';
import { withTokens } from '#server/context/part-tokens';

/**
 * A conversation from elsewhere as messages of ours: AI SDK model messages, AI SDK UI messages, OpenAI chat
 * messages or those of our own export, told apart by their shape. Every message is kept; parts have their tokens counted.
 * @throws InvalidInputError naming the first message that fits no format
 */
export function importMessages(input: readonly unknown[]): ImportedMessages {
  const imported = convert(input);
  const messages = imported.messages.map((message) => ({ ...message, parts: message.parts.map(withTokens) }));
  return { messages, instructions: imported.instructions };
}

function convert(input: readonly unknown[]): ImportedMessages {
  if (isExportedMessages(input)) return fromExportedMessages(input);
  if (isForeignUI(input)) return fromUIMessages(input);
  if (isOpenAIMessages(input)) return fromOpenAIMessages(input);
  if (isModelMessages(input)) return fromModelMessages(input);
  const index = input.findIndex(
    (message) => ![isExportedMessages, isForeignUI, isOpenAIMessages, isModelMessages].some((is) => is([message])),
  );
  throw new InvalidInputError(
    index === -1
      ? 'The messages mix several formats.'
      : `Message ${index + 1} is neither an AI SDK model message, a UI message nor an OpenAI chat message.`,
  );
}

/** Ours have parts too, with their texts elsewhere. */
function isForeignUI(input: readonly unknown[]): input is Parameters<typeof fromUIMessages>[0][number][] {
  return !input.some(resemblesExported) && isUIMessages(input);
}
