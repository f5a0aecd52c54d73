import { countPartTokens } from '#server/context/part-tokens';
import type { Vocabulary } from '#server/context/tokens';
import type { Message } from '#server/core/messages';
import { isEngineNote, isSaid } from '#server/core/part-text';
import type { PartOf } from '#server/core/parts';

type Thought = PartOf<'reasoning'>;

/** Ids of the models of OpenAI-compatible servers: thoughts go back to them as text, in `reasoning_content`. */
const TAKES_TEXT = 'local/';

/**
 * The thoughts that a request holds. Only the model that had them takes them back: signed ones wherever they stand,
 * plain text within the running tool loop (behind the newest words of the user), where models go on from it; chat
 * templates drop what is older. None without an answer or a call beside it: providers refuse a message of thoughts.
 * @param messages verbatim, in the order of the view
 */
export function sentThoughts(messages: readonly Message[], modelId: string): ReadonlySet<Thought> {
  const sent = new Set<Thought>();
  let isRunning = modelId.startsWith(TAKES_TEXT);
  for (const message of messages.toReversed()) {
    if (message.role === 'user' && !isEngineNote(message)) isRunning = false;
    const isAnswer = message.parts.some((part) => part.type === 'tool-call' || isSaid(part));
    if (message.role !== 'assistant' || message.modelId !== modelId || !isAnswer) continue;
    for (const part of message.parts) {
      if (part.type !== 'reasoning') continue;
      if (isSigned(part) || (isRunning && part.content.text.trim() !== '')) sent.add(part);
    }
  }
  return sent;
}

/** Some providers sign every answer, also with an empty list: there is nothing to go back then. */
function isSigned({ content: { providerMetadata = {} } }: Thought): boolean {
  const values = Object.values(providerMetadata).flatMap((options) => Object.values(options));
  return values.some((value) => !Array.isArray(value) || value.length > 0);
}

/** Tokens of thoughts as they were written, whether or not they are sent. */
export function thoughtTokens(thoughts: Iterable<Thought>, vocabulary: Vocabulary): number {
  return [...thoughts].reduce((sum, part) => sum + countPartTokens(part, vocabulary), 0);
}
