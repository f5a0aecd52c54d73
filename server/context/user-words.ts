import { isRequest } from '#server/context/plan-compaction';
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

/** A text on one line, as it is compared with another one. */
export function comparable(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/g, ' ').trim();
}

/** A pair of quotation marks in any of the usual ways, around at least two characters. */
const QUOTED = /["“”„«»「『](.{2,}?)["“”»«」』]/u;

/** The words that each item of a list quotes: those between quotation marks, else the item without its list mark. */
export function quotationsIn(list: string): string[] {
  return list
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*•]|\d{1,3}[.)])\s+/, '').trim())
    .filter((item) => item !== '')
    .map((item) => QUOTED.exec(item)?.[1]?.trim() ?? item);
}
