import { describe, expect, it } from 'vitest';
import type { NewMessage } from '#server/core/conversation/messages';
import type { ModelMessage } from '#server/core/conversation/model-messages';
import { answers, calls, clientEngine, memoryRounds, prose, returns, says } from '#tests/support/client-conversations';

/** A conversation of so many turns, each of some 600 tokens. */
const talk = (turns: number, from = 0): NewMessage[] =>
  Array.from({ length: turns }, (_, turn): NewMessage[] => [
    says(`Request ${from + turn}: ${prose(100, from + turn)}`),
    answers(prose(500, from + turn)),
  ]).flat();

const textsOf = (messages: readonly ModelMessage[]): string[] =>
  messages.flatMap(({ content }) =>
    content.flatMap((part): string[] => {
      if (part.type === 'text') return [part.text];
      return part.type === 'tool-result' && part.output.type === 'text' ? [part.output.value] : [];
    }),
  );

describe('CompletionContext', () => {
  it('compacts although it seems to fit when the provider refused it, and so does the next call', async () => {
    const engine = clientEngine();
    const context = await engine.open([...talk(12), says('go on')]);
    await context.prepare();
    expect(context.report()).toMatchObject({ summary: 'none' });
    await context.prepare('provider-overflow');
    expect(context.report()).toMatchObject({ summary: 'new', round: 1 });
    const next = await engine.open([...talk(13), says('go on')]);
    await next.prepare();
    expect(next.report()).toMatchObject({ summary: 'kept', round: 1 });
  });

  it('keeps the beginning byte for byte between two rounds, for the prompt cache', async () => {
    const engine = clientEngine();
    const prepare = async (turns: number) =>
      (await (await engine.open([...talk(turns), says('go on')])).prepare()).messages.slice(0, -1);
    await prepare(24);
    const before = await prepare(25);
    const after = await prepare(26);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(engine.summaries()).toBe(1);
  });

  it('does not use what was written of a beginning that has changed', async () => {
    const engine = clientEngine();
    await (await engine.open([...talk(30), says('go on')])).prepare();
    const [first, ...others] = talk(31);
    const context = await engine.open([
      { ...first!, parts: [{ type: 'text', content: { text: 'Another task' } }] },
      ...others,
    ]);
    const { messages } = await context.prepare();
    expect(context.report()).toMatchObject({ summary: 'new', round: 1 });
    expect(textsOf(messages)[0]).toContain('Another task');
    expect(textsOf(messages)[0]).not.toContain('Request 0:');
    expect(engine.summaries()).toBe(2);
  });

  it('uses it again if only the newest messages were replaced', async () => {
    const engine = clientEngine();
    await (await engine.open([...talk(30), says('go on')])).prepare();
    const context = await engine.open([...talk(30), says('no, go back')]);
    const { messages } = await context.prepare();
    expect(context.report()).toMatchObject({ summary: 'kept', round: 1 });
    expect(textsOf(messages).at(-1)).toBe('no, go back');
    expect(engine.summaries()).toBe(1);
  });

  it('never replaces the newest request with a summary after a client dropped later messages', async () => {
    const engine = clientEngine();
    const steps = Array.from({ length: 30 }, (_, step) => [calls(`c${step}`), returns(`c${step}`, prose(600, step))]);
    const long = [...talk(2), says('The long request'), ...steps.flat(), answers('Done.')];
    const all = await engine.open([...long, says('go on')]);
    await all.prepare();
    expect(all.report()).toMatchObject({ round: 1 });
    const { messages } = await (await engine.open(long)).prepare();
    expect(textsOf(messages)).toContain('The long request');
  });

  it("gives one owner's summaries to no other owner", async () => {
    const store = memoryRounds();
    const engine = clientEngine({ store });
    const long = [...talk(30), says('go on')];
    await (await engine.open(long, { ownerId: 'own_1' })).prepare();
    const other = await engine.open(long, { ownerId: 'own_2' });
    await other.prepare();
    expect(other.report()).toMatchObject({ summary: 'new' });
    expect(engine.summaries()).toBe(2);
    // Not even where a row says another owner: their hashes differ.
    const forged = memoryRounds();
    forged.rows.push(
      ...store.rows.filter(({ ownerId }) => ownerId === 'own_1').map((row) => ({ ...row, ownerId: 'own_2' })),
    );
    const misled = clientEngine({ store: forged });
    const context = await misled.open(long, { ownerId: 'own_2' });
    await context.prepare();
    expect(context.report()).toMatchObject({ summary: 'new' });
  });

  it('does not make a larger window do with the summary of a smaller one', async () => {
    const store = memoryRounds();
    const long = [...talk(30), says('go on')];
    await (await clientEngine({ store }).open(long)).prepare();
    const larger = clientEngine({ store, window: 64_000 });
    const context = await larger.open(long);
    expect((await context.prepare()).messages).toHaveLength(long.length);
    expect(context.report()).toMatchObject({ summary: 'none', round: 0 });
    const same = await clientEngine({ store, window: 12_000 }).open(long);
    await same.prepare();
    expect(same.report()).toMatchObject({ round: 1 + Number(same.report()!.summary === 'new') });
  });

  it('has two calls with the same beginning write one summary', async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const told = [
      '### Original Task\nA task.',
      '### What Was Accomplished\nMuch.',
      '### Current State\nOpen.',
      '### User Preferences\n- Short.',
      '### What Comes Next\nMore.',
    ].join('\n\n');
    const engine = clientEngine({
      summarize: async () => {
        asked.resolve();
        await answer.promise;
        return told;
      },
    });
    const long = [...talk(30), says('go on')];
    const contexts = await Promise.all([engine.open(long), engine.open([...long.slice(0, -1), says('and this?')])]);
    const prepared = contexts.map((context) => context.prepare());
    await asked.promise;
    answer.resolve();
    for (const { usage } of await Promise.all(prepared)) {
      expect(usage.currentTokens).toBeLessThanOrEqual(usage.usableTokens);
    }
    expect(engine.summaries()).toBe(1);
    expect(new Set(contexts.map((context) => context.report()?.summary))).toEqual(new Set(['kept', 'new']));
  });

  it('summarizes once without a model if none is configured', async () => {
    const engine = clientEngine({ hasSummarizer: false });
    const first = await engine.open([...talk(30), says('go on')]);
    await first.prepare();
    expect(first.report()).toMatchObject({ round: 1, summary: 'new' });
    const second = await engine.open([...talk(31), says('go on')]);
    await second.prepare();
    expect(second.report()).toMatchObject({ round: 1, summary: 'kept' });
  });

  it('cuts an oversized tool message, and promises no tool that the client does not have', async () => {
    const store = memoryRounds();
    const engine = clientEngine({ store });
    const huge = prose(30_000, 7);
    const asked = [says('Read both'), calls('call_a', 'call_b'), returns('call_a', huge), returns('call_b', 'ok')];
    const context = await engine.open(asked);
    const { messages, usage } = await context.prepare();
    expect(usage.currentTokens).toBeLessThanOrEqual(usage.usableTokens);
    expect(messages.at(-1)).toMatchObject({
      role: 'tool',
      content: [
        { toolCallId: 'call_a', output: { value: expect.stringMatching(/\n\n\[\d+ of \d+ characters left out\.\]$/) } },
        { toolCallId: 'call_b', output: { type: 'text', value: 'ok' } },
      ],
    });
    expect(context.report()).toMatchObject({ prunedOutputs: 1, summary: 'none' });
    expect(JSON.stringify(messages)).not.toMatch(/recall_output|search_history|prt_/);
    // The same excerpt in the next call.
    const next = await engine.open([...asked, answers('Both read.'), says('Thanks')]);
    const again = await next.prepare();
    expect(again.messages.slice(0, messages.length)).toEqual(messages);
    expect(store.rows).toHaveLength(1);
  });

  it('names no tool of ours in placeholders of outputs, inputs and messages', async () => {
    const engine = clientEngine({ hasSummarizer: false });
    const steps = Array.from({ length: 40 }, (_, step): NewMessage[] => [
      says(`Always answer in verse ${step}. Never use colour ${step} in the house style guide.`),
      {
        role: 'assistant',
        parts: [
          {
            type: 'tool-call',
            content: {
              toolCallId: `call_${step}`,
              toolName: 'write_file',
              input: { path: `a/${step}.ts`, text: prose(400, step) },
            },
          },
        ],
      },
      returns(`call_${step}`, prose(900, step)),
      answers(`Done with ${step}.`),
    ]).flat();
    for (let length = 8; length <= steps.length; length += 8) {
      const { messages } = await (await engine.open([...steps.slice(0, length), says('go on')])).prepare();
      expect(JSON.stringify(messages)).not.toMatch(/recall_output|search_history|prt_/);
    }
  });

  it('keeps the ids of tool calls as the client has them', async () => {
    const engine = clientEngine();
    const { messages } = await (
      await engine.open([
        says('Read'),
        calls('toolu_01|x', 'b'),
        returns('b', 'second'),
        returns('toolu_01|x', 'first'),
        answers('Read.'),
        says('Again'),
        calls('b'),
        returns('b', 'third'),
      ])
    ).prepare();
    const results = messages.flatMap((message) =>
      message.role === 'tool' ? message.content.map(({ toolCallId, output }) => [toolCallId, output]) : [],
    );
    expect(results).toEqual([
      ['toolu_01|x', { type: 'text', value: 'first' }],
      ['b', { type: 'text', value: 'second' }],
      // Providers refuse an id that comes again.
      ['b_2', { type: 'text', value: 'third' }],
    ]);
  });

  it('does not ask a model at every call where no summary gains anything', async () => {
    const engine = clientEngine();
    // So much in the newest request that the little in front of it is all there is to summarize.
    const rigid = [says('Hi'), answers('Yes?'), says(prose(10_400, 1))];
    for (let call = 0; call < 8; call += 1) {
      const context = await engine.open([...rigid, ...Array.from({ length: call }, () => answers('...'))]);
      const { usage } = await context.prepare();
      expect(usage.currentTokens).toBeLessThanOrEqual(usage.usableTokens);
      expect(context.report()).toMatchObject({ round: 0 });
    }
    expect(engine.summaries()).toBeGreaterThan(0);
    expect(engine.summaries()).toBeLessThanOrEqual(2);
  });

  it('reserves no more for the answer than the client takes', async () => {
    const engine = clientEngine();
    const short = await (await engine.open([says('Hello')], { maxOutputTokens: 50 })).prepare();
    const long = await (await engine.open([says('Hello')])).prepare();
    expect(short.usage.outputReserve).toBe(50);
    expect(long.usage.outputReserve).toBeGreaterThan(1_000);
  });

  it('throws where the newest request alone is above the window, and ends with its caller', async () => {
    const engine = clientEngine();
    await expect((await engine.open([says(prose(20_000, 1))])).prepare()).rejects.toThrow(/window/);
    const gone = new AbortController();
    gone.abort(new Error('The client is gone.'));
    const context = await engine.open([...talk(30), says('go on')], {}, gone.signal);
    await expect(context.prepare()).rejects.toThrow('The client is gone.');
  });

  it('continues without kept rounds if they cannot be read or written', async () => {
    const broken = () => Promise.reject(new Error('disk full'));
    const engine = clientEngine({ store: { find: broken, keep: broken, touch: broken } });
    const context = await engine.open([...talk(30), says('go on')]);
    await context.prepare();
    expect(context.report()).toMatchObject({ summary: 'new', round: 1 });
    expect(engine.faults.length).toBeGreaterThan(0);
  });

  it('ignores rows that do not hold what they should', async () => {
    const store = memoryRounds();
    const long = [...talk(30), says('go on')];
    await (await clientEngine({ store }).open(long)).prepare();
    const spoilt = [
      'no JSON',
      '{}',
      ...store.rows.flatMap(({ round }) => [
        round.replace(/"summary":"/, '"summary":7,"was":"'),
        round.replace(/"covered":\d+/, '"covered":1'),
      ]),
    ];
    const engine = clientEngine({
      store: {
        ...memoryRounds(),
        find: (_, hashes) =>
          Promise.resolve(spoilt.map((round, index) => ({ id: `rnd_${index}`, prefixHash: hashes.at(-1)!, round }))),
      },
    });
    const context = await engine.open(long);
    await context.prepare();
    expect(context.report()).toMatchObject({ summary: 'new', round: 1 });
    expect(engine.faults).toEqual([]);
  });
});
