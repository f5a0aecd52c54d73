import type { Message } from '#server/core/messages';
import { isRequest } from '#server/context/plan-compaction';

/** What of the user's own words must outlive every compaction. */
export interface UserWords {
  /** The first request of the session, verbatim; null in a session without one. */
  readonly original: string | null;
  /** Standing instructions and rejections, verbatim, each once, oldest first. */
  readonly standing: readonly string[];
  /** Every request, oldest first, verbatim. */
  readonly requests: readonly string[];
}

/** Sentences that bind all later work. */
const STANDING = /\b(always|never|from now on|do not ever|don't ever|in future|at all times)\b/i;
/** A longer "sentence" is pasted content that happens to hold such a word. */
const MAX_STANDING_CHARS = 400;

/** Collects the user's words from messages in order. */
export function collectUserWords(messages: readonly Message[]): UserWords {
  const requests = messages
    .filter(isRequest)
    .map(textOf)
    .filter((text) => text !== '');
  const sentences = requests.flatMap(splitSentences).filter((sentence) => sentence.length <= MAX_STANDING_CHARS);
  return {
    original: requests[0] ?? null,
    standing: [...new Set(sentences.filter((sentence) => STANDING.test(sentence) && !sentence.endsWith('?')))],
    requests,
  };
}

/** The text of a message, its parts joined by lines, trimmed. */
export function textOf(message: Message): string {
  return message.parts
    .flatMap((part) => (part.type === 'text' ? [part.content.text] : []))
    .join('\n')
    .trim();
}

function splitSentences(text: string): string[] {
  return text
    .split(/\n+|(?<=[.!?])\s+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}
