import type { AnswerEvent } from '#server/integrations/openai/answer-events';
import {
  type AnswerFormat,
  type AnswerIdentity,
  type CollectedAnswer,
  collectAnswer,
  type CollectedCall,
} from '#server/integrations/openai/answer-format';

/* Responses in the format of OpenAI's chat completions: as chunks of a stream, or as one object. */

type Delta = Readonly<Record<string, unknown>>;

/**
 * The format of chat completions.
 * @param includeUsage true: the usage follows as a chunk of its own at the end of a stream
 */
export function chatCompletionFormat(includeUsage: boolean): AnswerFormat {
  return {
    idPrefix: 'chatcmpl-',
    whole: async (identity, events) => toCompletion(identity, await collectAnswer(events)),
    stream: (identity) => {
      const chunksOf = createChunks(identity, includeUsage);
      return { write: (event) => chunksOf(event).map((data) => ({ data })), fail: (data) => ({ data }) };
    },
    ending: 'data: [DONE]\n\n',
  };
}

/** Returns a function that converts each event to chunks of the stream. The first chunk contains the role. */
function createChunks(identity: AnswerIdentity, includeUsage: boolean): (event: AnswerEvent) => object[] {
  let isFirst = true;
  const chunk = (fields: object) => ({ ...headOf(identity, 'chat.completion.chunk'), ...fields });
  const say = (delta: Delta, finishReason: string | null = null) => {
    const role = isFirst ? { role: 'assistant' } : {};
    isFirst = false;
    const choices = [{ index: 0, delta: { ...role, ...delta }, logprobs: null, finish_reason: finishReason }];
    return chunk({ choices, ...(includeUsage && { usage: null }) });
  };
  return (event) => {
    if (event.type === 'compacting' || event.type === 'repetition') return [];
    if (event.type !== 'end') return [say(deltaOf(event))];
    const { finishReason, usage } = event;
    return [say({}, finishReason), ...(includeUsage ? [chunk({ choices: [], usage })] : [])];
  };
}

/** Fields common to chunks and complete responses. */
function headOf({ id, created, model }: AnswerIdentity, object: string) {
  return { id, object, created, model, system_fingerprint: null };
}

function deltaOf(event: Exclude<AnswerEvent, { type: 'end' | 'compacting' | 'repetition' }>): Delta {
  switch (event.type) {
    case 'text':
      return { content: event.text };
    case 'reasoning':
      return { reasoning_content: event.text, reasoning: event.text };
    case 'reasoning-details':
      return { reasoning_details: event.details };
    case 'call': {
      const { index, id, name } = event;
      return { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] };
    }
    case 'arguments':
      return { tool_calls: [{ index: event.index, function: { arguments: event.text } }] };
  }
}

/** A complete response as one object. */
function toCompletion(identity: AnswerIdentity, answer: CollectedAnswer): object {
  const { text: content, reasoning, details, calls, finishReason, usage } = answer;
  const message = {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning, reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls.map(toWire) }),
  };
  return {
    ...headOf(identity, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
    usage,
  };
}

function toWire({ id, name, arguments: written }: CollectedCall) {
  return { id, type: 'function', function: { name, arguments: written } };
}
