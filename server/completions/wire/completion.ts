import type { AnswerEvent } from '#server/completions/wire/answer-event';
import { type AnswerIdentity, headOf } from '#server/completions/wire/chunks';

interface Call {
  readonly id: string;
  readonly name: string;
  arguments: string;
}

/** The whole answer as one object: what is told in pieces, put together. */
export async function collectCompletion(identity: AnswerIdentity, events: AsyncIterable<AnswerEvent>): Promise<object> {
  let content = '';
  let reasoning = '';
  const calls: Call[] = [];
  let end: Extract<AnswerEvent, { type: 'end' }> | null = null;
  for await (const event of events) {
    if (event.type === 'text') content += event.text;
    else if (event.type === 'reasoning') reasoning += event.text;
    else if (event.type === 'call') calls[event.index] = { id: event.id, name: event.name, arguments: '' };
    else if (event.type === 'arguments') appendTo(calls[event.index], event.text);
    else if (event.type === 'end') end = event;
  }
  const message = {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map(toWire) }),
  };
  return {
    ...headOf(identity, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: end?.finishReason ?? 'stop' }],
    usage: end?.usage ?? null,
  };
}

function appendTo(call: Call | undefined, text: string): void {
  if (call) call.arguments += text;
}

function toWire({ id, name, arguments: written }: Call) {
  return { id, type: 'function', function: { name, arguments: written } };
}
