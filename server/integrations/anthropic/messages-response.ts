import { encodeReasoning } from '#server/integrations/openai/encoded-reasoning';
import { isJsonObject, type JsonValue, parseJson } from '#server/core/json';
import type { AnswerEvent, WireFinishReason, WireUsage } from '#server/integrations/openai/answer-events';
import {
  type AnswerFormat,
  type AnswerIdentity,
  type CollectedAnswer,
  collectAnswer,
  type CollectedCall,
  type StreamEvent,
} from '#server/integrations/openai/answer-format';

/* Responses in the format of Anthropic's Messages API: as events of a stream, or as one object. */

const STOP_REASONS = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
} as const satisfies Record<WireFinishReason, string>;

/** The format of POST /v1/messages. */
export const messagesFormat: AnswerFormat = {
  idPrefix: 'msg_',
  whole: async (identity, events) => toMessage(identity, await collectAnswer(events)),
  stream: (identity) => {
    const stream = new MessageStream(identity);
    return { write: (event) => stream.write(event), fail: (data) => ({ name: 'error', data }) };
  },
  ending: '',
};

function toMessage(identity: AnswerIdentity, answer: CollectedAnswer): object {
  const { text, reasoning, details, calls, finishReason, usage } = answer;
  return {
    ...headOf(identity),
    content: [
      ...(reasoning === '' ? [] : [{ type: 'thinking', thinking: reasoning, signature: '' }]),
      ...hiddenThoughts(details),
      ...(text === '' ? [] : [{ type: 'text', text, citations: null }]),
      ...calls.map((call) => ({ ...toolUse(call), input: inputOf(call.arguments) })),
    ],
    stop_reason: STOP_REASONS[finishReason],
    stop_sequence: null,
    usage: usageOf(identity, usage),
  };
}

function headOf({ id, model }: AnswerIdentity) {
  return { id, type: 'message', role: 'assistant', model };
}

function toolUse({ id, name }: Pick<CollectedCall, 'id' | 'name'>) {
  return { type: 'tool_use', id, name };
}

/** The input must be an object; what a model wrote wrongly stays readable for the client. */
function inputOf(written: string): JsonValue {
  if (written.trim() === '') return {};
  const value = parseJson(written) as JsonValue | undefined;
  return isJsonObject(value) ? value : { input: written };
}

/** Input tokens without those read from a cache, which the format counts apart. */
function usageOf({ inputTokens }: AnswerIdentity, usage: WireUsage | null) {
  const cached = usage?.prompt_tokens_details.cached_tokens ?? 0;
  return {
    input_tokens: usage ? Math.max(0, usage.prompt_tokens - cached) : inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: usage?.completion_tokens ?? 0,
  };
}

/** Signed and hidden reasoning as a block that clients give back unread. */
function hiddenThoughts(details: readonly JsonValue[]): object[] {
  return details.length > 0 ? [{ type: 'redacted_thinking', data: encodeReasoning(details) }] : [];
}

/**
 * Writes one answer as a stream. The format allows one open block at a time, but the calls of an answer may arrive
 * interleaved with each other and with text: they follow, whole, at the end.
 */
class MessageStream {
  readonly #identity: AnswerIdentity;
  #hasStarted = false;
  #blocks = 0;
  #open: 'thinking' | 'text' | null = null;
  readonly #calls: CollectedCall[] = [];

  constructor(identity: AnswerIdentity) {
    this.#identity = identity;
  }

  /** The events of the stream for one event of the answer. */
  write(event: AnswerEvent): StreamEvent[] {
    return [...this.#begin(), ...this.#write(event)];
  }

  #write(event: AnswerEvent): StreamEvent[] {
    switch (event.type) {
      case 'compacting':
        return [sent('ping', {})];
      case 'reasoning':
        return [
          ...this.#openBlock('thinking', { type: 'thinking', thinking: '', signature: '' }),
          this.#delta({ type: 'thinking_delta', thinking: event.text }),
        ];
      case 'text':
        return [
          ...this.#openBlock('text', { type: 'text', text: '', citations: null }),
          this.#delta({ type: 'text_delta', text: event.text }),
        ];
      case 'reasoning-details':
        return hiddenThoughts(event.details).flatMap((thought) => this.#wholeBlock(thought, null));
      case 'call':
        this.#calls[event.index] = { id: event.id, name: event.name, arguments: '' };
        return [];
      case 'arguments': {
        const call = this.#calls[event.index];
        if (call) call.arguments += event.text;
        return [];
      }
      case 'repetition':
        return [];
      case 'end':
        return this.#end(event);
    }
  }

  #begin(): StreamEvent[] {
    if (this.#hasStarted) return [];
    this.#hasStarted = true;
    const message = { ...headOf(this.#identity), content: [], stop_reason: null, stop_sequence: null };
    return [sent('message_start', { message: { ...message, usage: usageOf(this.#identity, null) } })];
  }

  #openBlock(kind: 'thinking' | 'text', block: object): StreamEvent[] {
    if (this.#open === kind) return [];
    const closing = this.#closeBlock();
    this.#open = kind;
    return [...closing, this.#start(block)];
  }

  #closeBlock(): StreamEvent[] {
    if (this.#open === null) return [];
    this.#open = null;
    return [this.#stop()];
  }

  #wholeBlock(block: object, delta: object | null): StreamEvent[] {
    return [...this.#closeBlock(), this.#start(block), ...(delta ? [this.#delta(delta)] : []), this.#stop()];
  }

  #start(block: object): StreamEvent {
    return sent('content_block_start', { index: this.#blocks, content_block: block });
  }

  #delta(delta: object): StreamEvent {
    return sent('content_block_delta', { index: this.#blocks, delta });
  }

  #stop(): StreamEvent {
    const index = this.#blocks;
    this.#blocks += 1;
    return sent('content_block_stop', { index });
  }

  #end({ finishReason, usage }: Extract<AnswerEvent, { type: 'end' }>): StreamEvent[] {
    const closing = this.#closeBlock();
    const calls = Object.values(this.#calls).flatMap((call) => {
      const delta = { type: 'input_json_delta', partial_json: call.arguments };
      return this.#wholeBlock({ ...toolUse(call), input: {} }, call.arguments === '' ? null : delta);
    });
    const delta = { stop_reason: STOP_REASONS[finishReason], stop_sequence: null };
    return [
      ...closing,
      ...calls,
      sent('message_delta', { delta, usage: usageOf(this.#identity, usage) }),
      sent('message_stop', {}),
    ];
  }
}

/** The type of an event stands in its data too. */
function sent(name: string, fields: object): StreamEvent {
  return { name, data: { type: name, ...fields } };
}
