import { createBreathing, letOthersThrough } from '#server/core/breathe';
import { InvalidInputError } from '#server/core/errors';
import type { NewMessage } from '#server/core/messages';
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
  const { messages, instructions } = convert(input);
  return { messages: messages.map(counted), instructions };
}

/** The same with others let through meanwhile, however long the conversation is. @throws InvalidInputError */
export async function importConversation(input: readonly unknown[]): Promise<ImportedMessages> {
  const breathe = createBreathing();
  // Whoever read the body has kept others waiting.
  await letOthersThrough();
  const read = await readerOf(input, breathe);
  const imported = read();
  await breathe();
  const messages: NewMessage[] = [];
  for (const message of imported.messages) {
    await breathe();
    messages.push(counted(message));
  }
  return { messages, instructions: imported.instructions };
}

function counted(message: NewMessage): NewMessage {
  return { ...message, parts: message.parts.map(withTokens) };
}

/** A format of messages, with what reads it. */
const formats = [
  (input: readonly unknown[]) => isExportedMessages(input) && (() => fromExportedMessages(input)),
  (input: readonly unknown[]) => isForeignUI(input) && (() => fromUIMessages(input)),
  (input: readonly unknown[]) => isOpenAIMessages(input) && (() => fromOpenAIMessages(input)),
  (input: readonly unknown[]) => isModelMessages(input) && (() => fromModelMessages(input)),
];

/** @throws InvalidInputError */
function convert(input: readonly unknown[]): ImportedMessages {
  for (const format of formats) {
    const read = format(input);
    if (read) return read();
  }
  return refuse(input);
}

/** @throws InvalidInputError */
async function readerOf(input: readonly unknown[], breathe: () => Promise<void>): Promise<() => ImportedMessages> {
  for (const format of formats) {
    const read = format(input);
    await breathe();
    if (read) return read;
  }
  return refuse(input);
}

function refuse(input: readonly unknown[]): never {
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
