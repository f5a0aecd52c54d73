import { NOTE_LABEL } from '#server/core/engine-words';
import { foreignText } from '#server/core/foreign-text';
import type { NewPart, PartBody, ToolOutput } from '#server/core/parts';
import { stretch } from '#server/core/short-text';
import { asToolImage } from '#server/core/tool-result';
import { visibleText } from '#server/core/visible-text';

/** Tells whether a part is a text that says something; of spaces only it says nothing, and providers refuse it. */
export function isSaid<P extends PartBody>(part: P): part is Extract<P, { type: 'text' }> {
  return part.type === 'text' && part.content.text.trim() !== '';
}

/** Tells whether the engine wrote a message in the user's role: it belongs to an answer, a user's begins for itself. */
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

/** The text of a tool output as a model reads it; images by their names. */
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

/** A piece as words: an image by its name, what came from elsewhere as JSON. */
function pieceText(piece: OutputPiece): string {
  if (piece.type === 'text' && typeof piece['text'] === 'string') return piece['text'];
  const image = asToolImage(piece);
  return image ? toolImageText(image) : JSON.stringify(piece, withoutBytes);
}

/** Longer texts beside a piece's own are its bytes. */
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

/** A user's text parts as one text, with a blank line between two. */
export function writtenText(parts: readonly NewPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.content.text] : [])).join('\n\n');
}

/** Names of the files of a message, in their order. */
export function fileNames(parts: readonly NewPart[]): string[] {
  return parts.flatMap((part) => (part.type === 'file' ? [part.content.filename ?? part.content.mediaType] : []));
}

/** Opening bracket of anything that could pass for our tag, in any spelling. */
const TAG_OPENING = /<(?=[\s\p{Cf}]{0,10}\/?[\s\p{Cf}]{0,10}attached[-_ ]?file(?![a-z]))/giu;

/** A text file as a model reads it: as data with a name, which it cannot leave, whatever is written in it. */
export function attachedText(filename: string, text: string): string {
  return `<attached-file name="${plainName(filename)}">\n${foreignText(visibleText(text)).replaceAll(TAG_OPENING, '‹')}\n</attached-file>`;
}

interface ImageFacts {
  readonly filename?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** Text that a model reads in the place of an image. @param why it does not get the image itself */
export function imageText(
  { filename = 'image', width, height }: ImageFacts,
  why = 'this model cannot see images',
): string {
  return `[Image attached: ${plainName(filename)}${pixels({ width, height })}; ${why}]`;
}

/** An image of a tool's result where the result is told in words. */
export function toolImageText({ filename = 'image', ...size }: ImageFacts): string {
  return `[Image: ${plainName(filename)}${pixels(size)}]`;
}

/** Tells whether a text stands for a file, as written by one of these. */
export function isFileText(text: string): boolean {
  return text.startsWith('<attached-file name="') || text.startsWith('[Image attached: ');
}

function pixels({ width, height }: ImageFacts): string {
  return width && height ? `, ${width} x ${height}` : '';
}

/** Escapes the name of an external file: it cannot close the tag around it. */
export function plainName(filename: string): string {
  return stretch(filename.replaceAll(/["<>&[\]\p{C}]/gu, '_'), 0, 200);
}
