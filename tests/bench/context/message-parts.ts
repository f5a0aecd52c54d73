import type { ModelMessage } from 'ai';

/** One piece of a message, with all that is readable in it as plain text. */
export interface MessagePart {
  readonly kind: 'text' | 'reasoning' | 'call' | 'result' | 'file';
  readonly role: ModelMessage['role'];
  /** Of calls the input, of results the output: every text and number in it, one a line. */
  readonly text: string;
  /** Of calls and results. */
  readonly callId: string | null;
  readonly toolName: string | null;
}

/** The pieces of messages in order, whichever of the SDK's ways they are written in. */
export function partsOf(messages: readonly ModelMessage[]): MessagePart[] {
  return messages.flatMap(partsOfMessage);
}

function partsOfMessage({ role, content }: ModelMessage): MessagePart[] {
  const none = { role, callId: null, toolName: null };
  if (typeof content === 'string') return [{ ...none, kind: 'text', text: content }];
  return content.flatMap((part): MessagePart[] => {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return [{ ...none, kind: part.type, text: part.text }];
      case 'tool-call':
        return [{ role, kind: 'call', text: plainText(part.input), callId: part.toolCallId, toolName: part.toolName }];
      case 'tool-result':
        return [
          {
            role,
            kind: 'result',
            text: outputText(part.output),
            callId: part.toolCallId,
            toolName: part.toolName,
          },
        ];
      case 'file':
      case 'image':
        return [{ ...none, kind: 'file', text: '' }];
      default:
        return [];
    }
  });
}

function outputText(output: object): string {
  if ('value' in output) return plainText(output.value);
  return 'reason' in output ? plainText(output.reason) : '';
}

/** JSON that is a text is read as what it holds, so that a number in it is the same however it was sent. */
function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(plainText).filter(Boolean).join('\n');
}
