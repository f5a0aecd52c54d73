import type { AnswerEvent } from '#server/completions/wire/answer-event';

/** What every chunk of an answer, and the answer as a whole, say of themselves. */
export interface AnswerIdentity {
  readonly id: string;
  /** Epoch seconds. */
  readonly created: number;
  /** The complete id of the model that answers. */
  readonly model: string;
}

type Delta = Readonly<Record<string, unknown>>;

/** The chunks of OpenAI's stream for each event, the first with the role; the usage is a chunk of its own where it is asked for. */
export function createChunks(identity: AnswerIdentity, includeUsage: boolean): (event: AnswerEvent) => object[] {
  let isFirst = true;
  const chunk = (fields: object) => ({ ...headOf(identity, 'chat.completion.chunk'), ...fields });
  const say = (delta: Delta, finishReason: string | null = null) => {
    const role = isFirst ? { role: 'assistant' } : {};
    isFirst = false;
    const choices = [{ index: 0, delta: { ...role, ...delta }, logprobs: null, finish_reason: finishReason }];
    return chunk({ choices, ...(includeUsage && { usage: null }) });
  };
  return (event) => {
    if (event.type === 'compacting') return [];
    if (event.type !== 'end') return [say(deltaOf(event))];
    const { finishReason, usage } = event;
    return [say({}, finishReason), ...(includeUsage ? [chunk({ choices: [], usage })] : [])];
  };
}

/** The fields that a chunk and a whole answer have in common. */
export function headOf({ id, created, model }: AnswerIdentity, object: string) {
  return { id, object, created, model, system_fingerprint: null };
}

function deltaOf(event: Exclude<AnswerEvent, { type: 'end' | 'compacting' }>): Delta {
  switch (event.type) {
    case 'text':
      return { content: event.text };
    case 'reasoning':
      return { reasoning_content: event.text };
    case 'call': {
      const { index, id, name } = event;
      return { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] };
    }
    case 'arguments':
      return { tool_calls: [{ index: event.index, function: { arguments: event.text } }] };
  }
}
