import type { Content, Part } from '@google/genai';
import type { ModelMessage, ToolResultPart } from 'ai';
import { outputText, partText } from './parts.ts';

/** The message that a part was made of, and how many were made of it. */
interface Origin {
  message: ModelMessage;
  pieces: number;
}

/**
 * Messages of the AI SDK as the Gemini API has them, and back.
 *
 * A content whose parts were left alone comes back as the very message that it was made of; what the service wrote or
 * changed comes back as text, tool calls and tool results with their ids.
 */
export class GeminiContents {
  readonly #origins = new WeakMap<Part, Origin>();

  from(messages: readonly ModelMessage[]): Content[] {
    return messages.map((message) => {
      const parts = toParts(message);
      for (const part of parts) this.#origins.set(part, { message, pieces: parts.length });
      return { role: message.role === 'assistant' ? 'model' : 'user', parts };
    });
  }

  to(contents: readonly Content[]): ModelMessage[] {
    return contents.map((content) => {
      const parts = content.parts ?? [];
      const origin = parts[0] && this.#origins.get(parts[0]);
      const isWhole =
        parts.length === origin?.pieces && parts.every((part) => this.#origins.get(part)?.message === origin?.message);
      if (origin && isWhole) return origin.message;
      const made = fromContent(content);
      for (const part of parts) this.#origins.set(part, { message: made, pieces: parts.length });
      return made;
    });
  }
}

/** A part at least: a content without one says nothing to the API. */
function toParts(message: ModelMessage): Part[] {
  if (typeof message.content === 'string') return [{ text: message.content }];
  const parts = message.content.map(toPart);
  return parts.length > 0 ? parts : [{ text: '' }];
}

function toPart(part: Exclude<ModelMessage['content'], string>[number]): Part {
  if (part.type === 'tool-call') {
    return {
      functionCall: { id: part.toolCallId, name: part.toolName, args: (part.input ?? {}) as Record<string, unknown> },
    };
  }
  if (part.type === 'tool-result') {
    const key = part.output.type.startsWith('error') ? 'error' : 'output';
    return {
      functionResponse: {
        id: part.toolCallId,
        name: part.toolName,
        response: { [key]: outputText(part.output) },
      },
    };
  }
  return { text: part.type === 'tool-approval-response' ? '' : partText(part) };
}

function fromContent(content: Content): ModelMessage {
  const parts = content.parts ?? [];
  if (content.role === 'model') {
    return {
      role: 'assistant',
      content: parts.map((part) =>
        part.functionCall
          ? {
              type: 'tool-call' as const,
              toolCallId: part.functionCall.id ?? '',
              toolName: part.functionCall.name ?? '',
              input: part.functionCall.args ?? {},
            }
          : { type: 'text' as const, text: part.text ?? '' },
      ),
    };
  }
  const results = parts.flatMap((part) => (part.functionResponse ? [toResult(part.functionResponse)] : []));
  if (results.length > 0) return { role: 'tool', content: results };
  return { role: 'user', content: parts.map((part) => part.text ?? '').join('\n\n') };
}

function toResult({ id, name, response }: NonNullable<Part['functionResponse']>): ToolResultPart {
  const isError = response !== undefined && 'error' in response;
  return {
    type: 'tool-result',
    toolCallId: id ?? '',
    toolName: name ?? '',
    output: {
      type: isError ? 'error-text' : 'text',
      value: String(isError ? response['error'] : response?.['output']),
    },
  };
}
