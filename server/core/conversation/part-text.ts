import { plainName } from '#server/core/conversation/part-types/image-text';
import { NOTE_LABEL } from '#server/core/conversation/labels';
import type { Message } from '#server/core/conversation/messages';
import { definitionOf, type NewPart, type PartBody } from '#server/core/conversation/parts';
import { foreignText } from '#server/core/conversation/part-types/foreign-text';
import { visibleText } from '#server/core/text/visible-text';

/* Texts for what is in a message: parts, outputs of tools, attached files. */

/** True for a text part that is not blank; providers refuse blank texts. */
export function isSaid<P extends PartBody>(part: P): part is Extract<P, { type: 'text' }> {
  return part.type === 'text' && part.content.text.trim() !== '';
}

/**
 * True for a message in the user's role that the engine has written: it belongs to the answer before it, whereas a message
 * of the user starts a new exchange.
 */
export function isEngineNote({
  role,
  parentId,
  parts: [first],
}: {
  readonly role: string;
  readonly parentId: string | null;
  readonly parts: readonly PartBody[];
}): boolean {
  if (role !== 'user' || parentId === null) return false;
  return first?.type === 'situation' || (first?.type === 'text' && first.content.text.startsWith(NOTE_LABEL));
}

/**
 * True for a message in which the user says or shows something, in any of its parts; notes of the engine do not count.
 */
export function isRequest({ role, isSummary, parentId, parts }: Message): boolean {
  if (role !== 'user' || isSummary) return false;
  // Notes of the engine answer a request. A user may start a message with the same text.
  const isNote = (text: string) => parentId !== null && text.startsWith(NOTE_LABEL);
  return parts.some((part) => part.type === 'file' || (isSaid(part) && !isNote(part.content.text)));
}

/** Text of a part for search and recall: its text, its input as JSON, or its output. Null if its type has none. */
export function partText(part: PartBody): string | null {
  return definitionOf(part.type).searchText?.(part.content) ?? null;
}

/** A user's text parts as one text, separated by blank lines. */
export function writtenText(parts: readonly NewPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.content.text] : [])).join('\n\n');
}

/** Names of the files of a message, in their order. */
export function fileNames(parts: readonly NewPart[]): string[] {
  return parts.flatMap((part) => (part.type === 'file' ? [part.content.filename ?? part.content.mediaType] : []));
}

/** Matches the opening bracket of anything that could pass for our tag, in any spelling. */
const TAG_OPENING = /<(?=[\s\p{Cf}]{0,10}\/?[\s\p{Cf}]{0,10}attached[-_ ]?file(?![a-z]))/giu;

/** A text file as a model reads it: as named data in a tag that no content of the file can close. */
export function attachedText(filename: string, text: string): string {
  return `<attached-file name="${plainName(filename)}">\n${foreignText(visibleText(text)).replaceAll(TAG_OPENING, '‹')}\n</attached-file>`;
}

/** True for a text that `attachedText` or `imageText` has written. */
export function isFileText(text: string): boolean {
  return text.startsWith('<attached-file name="') || text.startsWith('[Image attached: ');
}
