import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type AnswerEvent,
  collectCompletion,
  createChunks,
  wireFinishReason,
  wireUsage,
} from '#server/integrations/openai/completion-response';
import { answerStream } from '#server/integrations/openai/answer-stream';

const identity = { id: 'chatcmpl-1', created: 1, model: 'openai/gpt-4o' };
const usage = wireUsage([{ inputTokens: 10, outputTokens: 2 }]);

interface Chunk {
  readonly choices: readonly {
    readonly delta: {
      readonly role?: string;
      readonly content?: string;
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly {
        readonly index: number;
        readonly id?: string;
        readonly type?: string;
        readonly function: { readonly name?: string; readonly arguments: string };
      }[];
    };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: unknown;
}

/** Answers with words, thoughts and calls in any order, and comments in between. */
const answers = fc
  .array(
    fc.oneof(
      fc.record({ type: fc.constantFrom('text' as const, 'reasoning' as const), text: fc.string({ minLength: 1 }) }),
      fc.record({ type: fc.constant('call' as const), name: fc.string({ minLength: 1 }), id: fc.string() }),
      fc.record({ type: fc.constant('arguments' as const), text: fc.string({ minLength: 1 }) }),
      fc.constant({ type: 'compacting' as const }),
    ),
  )
  .map((pieces): AnswerEvent[] => {
    let index = -1;
    const events = pieces.flatMap((piece): AnswerEvent[] => {
      if (piece.type === 'call') return [{ ...piece, index: (index += 1) }];
      if (piece.type === 'arguments') return index < 0 ? [] : [{ ...piece, index }];
      return [piece];
    });
    return [...events, { type: 'end', finishReason: wireFinishReason('stop', index >= 0), usage }];
  });

it('says the same in pieces as in one', async () => {
  await fc.assert(
    fc.asyncProperty(answers, async (events) => {
      const chunksOf = createChunks(identity, true);
      const chunks = events.flatMap(chunksOf) as unknown as Chunk[];
      const whole = (await collectCompletion(identity, replay(events))) as {
        choices: { message: Record<string, unknown>; finish_reason: string }[];
        usage: unknown;
      };
      const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
      const { message, finish_reason: finish } = whole.choices[0] ?? {};
      expect(deltas.map(({ content = '' }) => content).join('')).toBe(message?.['content'] ?? '');
      expect(deltas.map((delta) => delta.reasoning_content ?? '').join('')).toBe(message?.['reasoning_content'] ?? '');
      expect(callsIn(deltas)).toEqual(message?.['tool_calls'] ?? []);
      expect(deltas.map(({ role }) => role).filter(Boolean)).toEqual(['assistant']);
      expect(deltas[0]?.role).toBe('assistant');
      const ends = chunks.flatMap(({ choices }) => choices.flatMap((choice) => choice.finish_reason ?? []));
      expect(ends).toEqual([finish]);
      expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
    }),
  );
});

it('tells the usage only where it is asked for', () => {
  const chunks = createChunks(identity, false)({ type: 'end', finishReason: 'stop', usage });
  expect(chunks).toHaveLength(1);
  expect(chunks[0]).not.toHaveProperty('usage');
});

it.each([
  ['stop', false, 'stop'],
  ['stop', true, 'tool_calls'],
  ['tool-calls', true, 'tool_calls'],
  ['length', true, 'length'],
  ['content-filter', false, 'content_filter'],
  ['other', false, 'stop'],
] as const)('calls the end "%s" (calls: %s) "%s"', (reason, hasCalls, word) => {
  expect(wireFinishReason(reason, hasCalls)).toBe(word);
});

it('adds up what all calls of an answer have used', () => {
  const steps = [
    { inputTokens: 100, outputTokens: 10, cacheReadTokens: 60, cost: 0.5 },
    { inputTokens: 50, outputTokens: 5, reasoningTokens: 3 },
  ];
  expect(wireUsage(steps)).toEqual({
    prompt_tokens: 150,
    completion_tokens: 15,
    total_tokens: 165,
    prompt_tokens_details: { cached_tokens: 60 },
    completion_tokens_details: { reasoning_tokens: 3 },
    cost: 0.5,
  });
});

async function* replay(events: readonly AnswerEvent[]): AsyncGenerator<AnswerEvent> {
  yield* events;
}

/** As clients put them together. */
function callsIn(deltas: readonly Chunk['choices'][number]['delta'][]) {
  const calls: { id?: string; type?: string; function: { name?: string; arguments: string } }[] = [];
  for (const piece of deltas.flatMap((delta) => delta.tool_calls ?? [])) {
    const { index, function: called, ...named } = piece;
    const call = (calls[index] ??= { ...named, function: { ...called, arguments: '' } });
    call.function.arguments += called.arguments;
  }
  return calls;
}

/** A stream whose events a test gives, read frame by frame. */
function open() {
  const queue: PromiseWithResolvers<AnswerEvent | Error | null>[] = [];
  const at = (index: number) => (queue[index] ??= Promise.withResolvers());
  let given = 0;
  let cancelled = 0;
  async function* events(): AsyncGenerator<AnswerEvent> {
    for (let index = 0; ; index += 1) {
      const event = await at(index).promise;
      if (event === null) return;
      if (event instanceof Error) throw event;
      yield event;
    }
  }
  const stream = answerStream({
    events: events(),
    chunksOf: (event) => (event.type === 'compacting' ? [] : [event]),
    errorBody: (error) => ({ error: (error as Error).message }),
    onCancel: () => (cancelled += 1),
    commentEveryMs: 5,
  });
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  return {
    give: (event: AnswerEvent | Error | null) => at(given++).resolve(event),
    /** Undefined at the end. */
    read: async () => {
      const { value } = await reader.read();
      return value && decoder.decode(value);
    },
    cancel: () => reader.cancel(),
    cancelled: () => cancelled,
  };
}

it('keeps a silent line open, and says so while it compacts', async () => {
  const { give, read } = open();
  expect(await read()).toBe(': keep-alive\n\n');
  give({ type: 'compacting' });
  let frame = await read();
  while (frame === ': keep-alive\n\n') frame = await read();
  expect(frame).toBe(': compacting\n\n');
  expect(await read()).toBe(': compacting\n\n');
  give({ type: 'text', text: 'So.' });
  while (frame === ': compacting\n\n') frame = await read();
  expect(frame).toBe('data: {"type":"text","text":"So."}\n\n');
  give(null);
  frame = await read();
  while (frame === ': keep-alive\n\n') frame = await read();
  expect(frame).toBe('data: [DONE]\n\n');
  expect(await read()).toBeUndefined();
});

it('ends with the failure, and without the word that all is done', async () => {
  const { give, read } = open();
  give({ type: 'text', text: 'So' });
  expect(await read()).toContain('"So"');
  give(new Error('broken'));
  let frame = await read();
  while (frame === ': keep-alive\n\n') frame = await read();
  expect(frame).toBe('data: {"error":"broken"}\n\n');
  expect(await read()).toBeUndefined();
});

it('hears that its client is gone, and a failure behind that harms nobody', async () => {
  const { give, read, cancel, cancelled } = open();
  expect(await read()).toBe(': keep-alive\n\n');
  await cancel();
  expect(cancelled()).toBe(1);
  give(new Error('nobody hears it'));
});
