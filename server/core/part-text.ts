import { toolImageText } from '#server/core/file-text';
import type { NewPart, PartBody, ToolOutput } from '#server/core/parts';
import { asToolImage } from '#server/core/tool-images';

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

/** What can be searched and recalled of a part: its text, its input as JSON, its output. Null for any other part. */
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
    case 'step-start':
    case 'compaction-marker':
      return null;
  }
}

/** What a user wrote, part by part, as one text: a blank line between two. */
export function writtenText(parts: readonly NewPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.content.text] : [])).join('\n\n');
}

/** What the files of a message are called, in their order. */
export function fileNames(parts: readonly NewPart[]): string[] {
  return parts.flatMap((part) => (part.type === 'file' ? [part.content.filename ?? part.content.mediaType] : []));
}
