import { NOTE_LABEL } from '#server/core/conversation/labels';
import { foreignText } from '#server/core/text/foreign-text';
import type { NewPart, PartBody, ToolOutput } from '#server/core/conversation/parts';
import { stretch } from '#server/core/text/short-text';
import { asToolImage } from '#server/core/conversation/tool-result';
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

/** The text of a tool output as a model reads it; images are replaced by their names. */
export function toolOutputText(output: ToolOutput): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'execution-denied':
      return output.reason ?? 'The user denied this tool call.';
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value);
    case 'content':
      return output.value.map(pieceText).join('\n\n');
  }
}

type OutputPiece = Extract<ToolOutput, { type: 'content' }>['value'][number];

/** A piece of a tool output as text: an image by its name, unknown pieces as JSON. */
function pieceText(piece: OutputPiece): string {
  if (piece.type === 'text' && typeof piece['text'] === 'string') return piece['text'];
  const image = asToolImage(piece);
  return image ? toolImageText(image) : JSON.stringify(piece, withoutBytes);
}

/** Maximum characters of a field of an unknown piece: longer ones are binary data in base64. */
const MAX_FIELD_CHARS = 1_000;

function withoutBytes(_: string, field: unknown): unknown {
  return typeof field === 'string' && field.length > MAX_FIELD_CHARS ? `[${field.length} characters]` : field;
}

/** Text of a part for search and recall: its text, its input as JSON, or its output. Null for any other part. */
export function partText(part: PartBody): string | null {
  switch (part.type) {
    case 'text':
      return part.content.text;
    case 'tool-call':
      return JSON.stringify(part.content.input);
    case 'tool-result':
      return toolOutputText(part.content.output);
    case 'reasoning':
    case 'file':
    case 'situation':
    case 'selection':
    case 'step-start':
    case 'compaction-marker':
      return null;
  }
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

/** Name, and size in pixels, of an image. */
interface ImageFacts {
  readonly filename?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** Text that a model reads instead of an image of the user. @param why reason why it does not receive the image */
export function imageText(
  { filename = 'image', width, height }: ImageFacts,
  why = 'this model cannot see images',
): string {
  return `[Image attached: ${plainName(filename)}${pixels({ width, height })}; ${why}]`;
}

/** Text for an image in a tool's result, when the result is shown as text. */
export function toolImageText({ filename = 'image', ...size }: ImageFacts): string {
  return `[Image: ${plainName(filename)}${pixels(size)}]`;
}

/** True for a text that `attachedText` or `imageText` has written. */
export function isFileText(text: string): boolean {
  return text.startsWith('<attached-file name="') || text.startsWith('[Image attached: ');
}

function pixels({ width, height }: ImageFacts): string {
  return width && height ? `, ${width} x ${height}` : '';
}

/** Escapes the name of an external file, so that it cannot close the tag around it. */
export function plainName(filename: string): string {
  return stretch(filename.replaceAll(/["<>&[\]\p{C}]/gu, '_'), 0, 200);
}
