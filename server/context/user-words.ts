import { isRequest } from '#server/context/plan-compaction';
import { comparable } from '#server/core/kept-wishes';
import type { Message } from '#server/core/messages';

/** The text that the user typed in a message, its parts joined by lines, trimmed. */
export function textOf(message: Message): string {
  return message.parts
    .flatMap((part) => (part.type === 'text' ? [part.content.text] : []))
    .join('\n')
    .trim();
}

/** The newest message in which the user typed these words; white space may differ. Null: none, files do not count. */
export function quotedFrom(quote: string, messages: readonly Message[]): Message | null {
  const words = comparable(quote);
  const says = ({ parts }: Message) =>
    parts.some((part) => part.type === 'text' && comparable(part.content.text).includes(words));
  return words === '' ? null : (messages.findLast((message) => isRequest(message) && says(message)) ?? null);
}

/** Words between any of the usual quotation marks that begin an item, or follow its colon, up to its last mark. */
const QUOTED = /(?:^|[:：]\s{0,3})[*_]{0,3}["“”„«»「『](.{2,1000})["“”»«」』]/u;

/** Each item of a list without its list mark, and what it quotes: what the user typed may hold quotations itself. */
export function quotationsIn(list: string): [item: string, quoted: string][] {
  return list
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*•]|\d{1,3}[.)])\s+/, '').trim())
    .filter((item) => item !== '')
    .map((item) => [item, QUOTED.exec(item)?.[1]?.trim() ?? item]);
}
