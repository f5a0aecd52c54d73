import type { NewPart, PartBody, ToolOutput } from '#server/core/parts';

/** The text of a tool output as a model reads it. */
export function toolOutputText(output: ToolOutput): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'execution-denied':
      return output.reason ?? 'The user denied this tool call.';
    case 'json':
    case 'error-json':
    case 'content':
      return JSON.stringify(output.value);
  }
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
