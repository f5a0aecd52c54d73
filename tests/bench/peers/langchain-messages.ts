import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { ModelMessage, ToolResultPart } from 'ai';
import { outputText, partText } from './parts.ts';

/** The message that a LangChain message was made of, and how many were made of it. */
interface Origin {
  message: ModelMessage;
  pieces: number;
}

/**
 * Messages of the AI SDK as LangChain has them, and back.
 *
 * What LangChain left alone comes back as the very message that it was made of, so nothing is lost on the way; what it
 * wrote or changed comes back as text, tool calls and tool results with their ids.
 */
export class LangChainMessages {
  readonly #origins = new WeakMap<BaseMessage, Origin>();
  readonly #made = new WeakMap<BaseMessage, ModelMessage>();

  from(messages: readonly ModelMessage[]): BaseMessage[] {
    return messages.flatMap((message) => {
      const made = toLangChain(message);
      for (const piece of made) this.#origins.set(piece, { message, pieces: made.length });
      return made;
    });
  }

  to(messages: readonly BaseMessage[]): ModelMessage[] {
    const found: ModelMessage[] = [];
    for (let index = 0; index < messages.length;) {
      const origin = this.#origins.get(messages[index]!);
      const pieces = origin && messages.slice(index, index + origin.pieces);
      const isWhole =
        pieces?.length === origin?.pieces &&
        pieces?.every((piece) => this.#origins.get(piece)?.message === origin?.message);
      found.push(origin && isWhole ? origin.message : this.#fromLangChain(messages[index]!));
      index += origin && isWhole ? origin.pieces : 1;
    }
    return found;
  }

  /** Returns the same object for the same message each time, for counters that count by object. */
  #fromLangChain(message: BaseMessage): ModelMessage {
    const made = this.#made.get(message) ?? fromLangChain(message);
    this.#made.set(message, made);
    return made;
  }
}

function toLangChain(message: ModelMessage): BaseMessage[] {
  if (message.role === 'system') return [new SystemMessage(message.content)];
  if (message.role === 'user') return [new HumanMessage(textOf(message.content))];
  if (message.role === 'assistant') {
    if (typeof message.content === 'string') return [new AIMessage(message.content)];
    const calls = message.content.filter((part) => part.type === 'tool-call');
    return [
      new AIMessage({
        content: textOf(message.content.filter((part) => part.type !== 'tool-call')),
        tool_calls: calls.map((call) => ({
          type: 'tool_call',
          id: call.toolCallId,
          name: call.toolName,
          args: (call.input ?? {}) as Record<string, unknown>,
        })),
      }),
    ];
  }
  return message.content
    .filter((part) => part.type === 'tool-result')
    .map(
      (part) =>
        new ToolMessage({
          tool_call_id: part.toolCallId,
          name: part.toolName,
          content: outputText(part.output),
          status: part.output.type.startsWith('error') ? 'error' : 'success',
        }),
    );
}

function fromLangChain(message: BaseMessage): ModelMessage {
  if (SystemMessage.isInstance(message)) return { role: 'system', content: message.text };
  if (ToolMessage.isInstance(message)) {
    const result: ToolResultPart = {
      type: 'tool-result',
      toolCallId: message.tool_call_id,
      toolName: message.name ?? 'unknown',
      output: { type: message.status === 'error' ? 'error-text' : 'text', value: message.text },
    };
    return { role: 'tool', content: [result] };
  }
  if (!AIMessage.isInstance(message)) return { role: 'user', content: message.text };
  return {
    role: 'assistant',
    content: [
      ...(message.text ? [{ type: 'text' as const, text: message.text }] : []),
      ...(message.tool_calls ?? []).map((call) => ({
        type: 'tool-call' as const,
        toolCallId: call.id ?? '',
        toolName: call.name,
        input: call.args,
      })),
    ],
  };
}

function textOf(content: Parameters<typeof partText>[0][] | string): string {
  return typeof content === 'string' ? content : content.map(partText).filter(Boolean).join('\n\n');
}
