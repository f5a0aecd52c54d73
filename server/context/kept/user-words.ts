import type { Message } from '#server/core/messages';
import { isRequest } from '#server/context/compaction/plan-compaction';
import { standingInstructions } from '#server/context/kept/standing-instructions';

/** What of the user's own words must outlive every compaction. */
export interface UserWords {
  /** The session's first request; null in a session without one. */
  readonly original: Message | null;
  /**
   * Standing instructions and rejections, verbatim, each once, in the order in which they were last said: where two
   * contradict each other, the later one stands later.
   */
  readonly standing: readonly string[];
  /** Every request, oldest first, verbatim. */
  readonly requests: readonly string[];
}

/** Collects the user's words from messages in order. */
export function collectUserWords(messages: readonly Message[]): UserWords {
  const asked = messages.filter((message) => isRequest(message) && textOf(message) !== '');
  const requests = asked.map(textOf);
  const standing = new Map<string, string>();
  for (const instruction of requests.flatMap(standingInstructions)) {
    const key = comparable(instruction);
    standing.delete(key);
    standing.set(key, instruction);
  }
  return { original: asked[0] ?? null, standing: [...standing.values()], requests };
}

/** The text of a message, its parts joined by lines, trimmed. */
export function textOf(message: Message): string {
  return message.parts
    .flatMap((part) => (part.type === 'text' ? [part.content.text] : []))
    .join('\n')
    .trim();
}

/** The same for instructions that differ in case, spaces or punctuation at the end only. */
function comparable(instruction: string): string {
  return instruction
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .slice(0, 1_000)
    .replace(/[.!… ]{1,10}$/, '');
}
