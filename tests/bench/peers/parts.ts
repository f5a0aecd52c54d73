import type { AssistantContent, ToolResultPart, UserContent } from 'ai';

type Part = Exclude<UserContent | AssistantContent, string>[number];

/** What a peer reads of a part: its text, or a mark for other kinds. */
export function partText(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'reasoning':
      return '';
    case 'tool-result':
      return outputText(part.output);
    default:
      return `[${part.type}]`;
  }
}

/** A tool's result as the text that a peer keeps of it. */
export function outputText(output: ToolResultPart['output']): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value);
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
    default:
      return output.reason ?? 'denied';
  }
}
