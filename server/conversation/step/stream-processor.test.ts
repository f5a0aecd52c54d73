import { streamText, type TextStreamPart, type ToolSet, type UIMessageChunk } from 'ai';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EmptyStepError } from '#server/conversation/step/provider-errors';
import { StreamProcessor } from '#server/conversation/step/stream-processor';
import { toToolSet } from '#server/conversation/step/toolboxes';
import { ownTools } from '#server/tools/index';
import { createPartLog } from '#tests/support/part-log';
import { finish, heldStep, scriptedModel, type ScriptedStep, textBlock, toolCall } from '#tests/support/scripted-model';

/** Runs one step of a scripted model, as the executor does. */
async function runStep(step: ScriptedStep, abortSignal?: AbortSignal, onChunk?: (chunk: UIMessageChunk) => void) {
  const log = createPartLog();
  const chunks: UIMessageChunk[] = [];
  const { stream } = streamText({
    model: scriptedModel(step).model,
    messages: [{ role: 'user', content: 'Go' }],
    tools: toToolSet(ownTools.tools),
    maxRetries: 0,
    onError: () => undefined,
    ...(abortSignal && { abortSignal }),
  });
  const publish = (chunk: UIMessageChunk) => {
    chunks.push(chunk);
    onChunk?.(chunk);
  };
  const outcome = await new StreamProcessor(log, publish).run(stream);
  return { outcome, chunks, log, parts: log.parts.map(({ type, state, content }) => ({ type, state, content })) };
}

describe('a streamed step', () => {
  it('is stored part by part in the order of the stream, with its metadata', async () => {
    const signature = { anthropic: { signature: 's' } };
    const [start, delta, end, call] = toolCall('c1', 'list_content', '{"type":"page"}');
    const { parts, outcome } = await runStep([
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
      { type: 'reasoning-end', id: 'r', providerMetadata: signature },
      ...textBlock('t', 'Looking ', 'it up.'),
      start!,
      delta!,
      end!,
      { ...call!, providerMetadata: { openrouter: { reasoning_details: [{ data: 'secret' }] } } } as never,
      ...toolCall('c2', 'get_settings', '{}'),
      finish('tool-calls', { input: 50, output: 7 }),
    ]);

    expect(parts).toEqual([
      { type: 'reasoning', state: 'completed', content: { text: 'Hm.', providerMetadata: signature } },
      { type: 'text', state: 'completed', content: { text: 'Looking it up.' } },
      {
        type: 'tool-call',
        state: 'pending',
        content: {
          toolCallId: 'c1',
          toolName: 'list_content',
          input: { type: 'page' },
          providerMetadata: { openrouter: { reasoning_details: [{ data: 'secret' }] } },
        },
      },
      { type: 'tool-call', state: 'pending', content: { toolCallId: 'c2', toolName: 'get_settings', input: {} } },
    ]);
    expect(outcome).toMatchObject({
      status: 'complete',
      finishReason: 'tool-calls',
      usage: { inputTokens: 50, outputTokens: 7 },
      calls: [
        { toolCallId: 'c1', partId: 'prt_2' },
        { toolCallId: 'c2', partId: 'prt_3' },
      ],
    });
  });

  it('reports for each call what is wrong with it, also if several share an id', async () => {
    const { outcome } = await runStep([
      ...toolCall('c', 'list_content', '{"type":"page"}'),
      ...toolCall('c', 'list_content', '{"type":"essay"}'),
      ...toolCall('c', 'list_content', '{"type":"post"}'),
      finish('tool-calls'),
    ]);
    const wrong = outcome.calls.map(({ toolCallId, error }) => [toolCallId, error !== undefined]);
    expect(wrong).toEqual([
      ['c', false],
      ['c_2', true],
      ['c_3', false],
    ]);
  });

  it('keeps a signature without words hidden, and drops empty reasoning', async () => {
    const providerMetadata = { openai: { encrypted: 'x' } };
    const { parts, chunks } = await runStep([
      { type: 'reasoning-start', id: 'r', providerMetadata },
      { type: 'reasoning-end', id: 'r' },
      ...textBlock('t', '', ''),
      finish(),
    ]);
    expect(parts).toEqual([{ type: 'reasoning', state: 'completed', content: { text: '', providerMetadata } }]);
    expect(chunks).toEqual([]);
  });

  it('that breaks off after text keeps the text and has failed', async () => {
    const broken: ScriptedStep[] = [
      [...textBlock('t', 'Half an ans').slice(0, -1), { type: 'error', error: new Error('upstream') }, finish()],
      (write) => {
        for (const part of textBlock('t', 'Half an ans').slice(0, -1)) write(part);
        return Promise.reject(new TypeError('terminated'));
      },
    ];
    for (const step of broken) {
      const { outcome, parts, chunks } = await runStep(step);
      expect(parts).toEqual([{ type: 'text', state: 'completed', content: { text: 'Half an ans' } }]);
      expect(outcome).toMatchObject({ status: 'failed', hasContent: true, error: expect.any(Error) as Error });
      expect(chunks.at(-1)).toMatchObject({ type: 'text-end', id: 't' });
    }
  });

  it('without content and usage is a failure and stores nothing', async () => {
    const { outcome, parts, chunks } = await runStep([{ type: 'text-start', id: 't' }, finish('stop', null)]);
    expect(outcome).toMatchObject({ status: 'failed', hasContent: false, error: expect.any(EmptyStepError) as Error });
    expect(parts).toEqual([]);
    expect(chunks.filter((chunk) => chunk.type !== 'finish-step')).toEqual([]);
  });

  it('that is stopped is interrupted, with its text', async () => {
    const stop = new AbortController();
    const step: ScriptedStep = (write) => {
      for (const part of textBlock('t', 'Stop ', 'me').slice(0, -1)) write(part);
      return new Promise(() => undefined);
    };
    const { outcome, parts } = await runStep(step, stop.signal, (chunk) => {
      if ('delta' in chunk && chunk.delta === 'me') stop.abort(new Error('Enough.'));
    });
    expect(outcome).toMatchObject({ status: 'interrupted', hasContent: true });
    expect(outcome.error).toBeDefined();
    expect(parts).toEqual([{ type: 'text', state: 'completed', content: { text: 'Stop me' } }]);
  });

  it('is read no further when a part cannot be stored', async () => {
    const log = createPartLog();
    log.addPart = () => Promise.reject(new Error('The disk is full.'));
    const LENGTH = 1_000;
    let read = 0;
    async function* words(): AsyncGenerator<TextStreamPart<ToolSet>> {
      yield { type: 'text-start', id: 't' };
      for (; read < LENGTH; read += 1) {
        yield { type: 'text-delta', id: 't', text: 'word ' };
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    const processor = new StreamProcessor(log, () => undefined);
    await expect(processor.run(words())).rejects.toThrow('full');
    expect(processor.unstorable.aborted).toBe(true);
    expect(read).toBeLessThan(LENGTH);
  });

  it('is not read further ahead of a store that waits than memory allows', async () => {
    const gate = Promise.withResolvers<void>();
    const log = createPartLog();
    const addPart: typeof log.addPart = async (part) => {
      await gate.promise;
      return log.addPart(part);
    };
    const piece = 'word '.repeat(20_000);
    let read = 0;
    async function* stream(): AsyncGenerator<TextStreamPart<ToolSet>> {
      yield { type: 'text-start', id: 't' };
      for (; read < 50; read += 1) yield { type: 'text-delta', id: 't', text: piece };
    }
    const processor = new StreamProcessor({ ...log, addPart }, () => undefined);
    const done = processor.run(stream());
    await vi.waitFor(() => expect(read).toBe(20));
    await new Promise((resolve) => void setImmediate(resolve));
    expect(read).toBe(20);
    gate.resolve();
    await done;
    expect(log.parts[0]?.content).toEqual({ text: piece.repeat(50) });
  });
});

describe('the input of a call', () => {
  const start = (id: string) => ({ type: 'tool-input-start', id, toolName: 'create_content' }) as const;
  const write = (id: string, delta: string) => ({ type: 'tool-input-delta', id, delta }) as const;

  it('is streamed while it is written, and the complete call follows under the same id', async () => {
    const { chunks, parts } = await runStep([
      start('c1'),
      write('c1', '{"type":'),
      write('c1', '"page"}'),
      { type: 'tool-call', toolCallId: 'c1', toolName: 'create_content', input: '{"type":"page"}' },
      finish('tool-calls'),
    ]);
    expect(chunks).toMatchObject([
      { type: 'start-step' },
      { type: 'tool-input-start', toolCallId: 'c1', toolName: 'create_content' },
      { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '{"type":' },
      { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '"page"}' },
      { type: 'tool-input-available', toolCallId: 'c1', input: { type: 'page' } },
    ]);
    expect(parts).toMatchObject([{ state: 'pending', content: { toolCallId: 'c1', input: { type: 'page' } } }]);
  });

  it('is stored while it is written, in the order in which the parts were shown', async () => {
    const page = `{"title":"${'word '.repeat(300)}`;
    const held = heldStep(...textBlock('t', 'A page.'), start('c1'), write('c1', page), ...textBlock('u', 'Aside.'));
    const log = createPartLog();
    const { stream } = streamText({
      model: scriptedModel(held.step).model,
      messages: [{ role: 'user', content: 'Go' }],
      tools: toToolSet(ownTools.tools),
    });
    const done = new StreamProcessor(log, () => undefined).run(stream);
    await vi.waitFor(() => expect(log.parts).toHaveLength(3));
    expect(log.parts[1]).toMatchObject({
      type: 'tool-call',
      state: 'input-streaming',
      content: { toolCallId: 'c1', toolName: 'create_content', input: page },
    });
    held.end();
    const { cutCalls, calls } = await done;
    expect([cutCalls.length, calls.length]).toEqual([1, 0]);
  });

  it('is stored before a text or a call that is shown after it', async () => {
    const [first, delta, ...rest] = toolCall('c1', 'list_content', '{"type":"page"}');
    const [other, , ...otherRest] = toolCall('c2', 'get_settings', '{}');
    const withText = await runStep([first!, delta!, ...textBlock('t', 'Meanwhile.'), ...rest, finish('tool-calls')]);
    expect(withText.parts.map(({ type }) => type)).toEqual(['tool-call', 'text']);
    const withCall = await runStep([first!, delta!, other!, ...otherRest, ...rest, finish('tool-calls')]);
    expect(withCall.parts.map(({ content }) => 'toolName' in content && content.toolName)).toEqual([
      'list_content',
      'get_settings',
    ]);
  });

  it('is kept as far as it was written when the stream breaks off, and the call does not run', async () => {
    const { outcome, parts, chunks } = await runStep((send) => {
      for (const part of [start('c1'), write('c1', '{"title":"Pri')]) send(part);
      return Promise.reject(new TypeError('terminated'));
    });
    expect(outcome).toMatchObject({
      status: 'failed',
      hasContent: false,
      droppedCall: 'create_content',
      calls: [],
      cutCalls: [{ partId: 'prt_0', toolCallId: 'c1', input: '{"title":"Pri' }],
    });
    expect(parts).toMatchObject([{ type: 'tool-call', content: { input: '{"title":"Pri' } }]);
    expect(chunks.at(-1)).toMatchObject({ type: 'tool-input-available', input: '{"title":"Pri' });
  });

  it('leaves nothing if the stream breaks off before its first character', async () => {
    const { outcome, parts, chunks } = await runStep((send) => {
      for (const part of [start('c1'), write('c1', '')]) send(part);
      return Promise.reject(new TypeError('terminated'));
    });
    expect(outcome).toMatchObject({ droppedCall: 'create_content', cutCalls: [] });
    expect([parts, chunks]).toEqual([[], []]);
  });
});

/** A step whose text the test releases. */
function openStep(log: ReturnType<typeof createPartLog> = createPartLog()) {
  const parts = new TransformStream<TextStreamPart<ToolSet>, TextStreamPart<ToolSet>>(
    {},
    { highWaterMark: 100 },
    { highWaterMark: 100 },
  );
  const writer = parts.writable.getWriter();
  const outcome = new StreamProcessor(log, () => undefined).run(parts.readable);
  void writer.write({ type: 'text-start', id: 't' });
  return {
    log,
    outcome,
    say: (text: string) => void writer.write({ type: 'text-delta', id: 't', text }),
    end: () => writer.close(),
  };
}

describe('streamed text', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is stored at the latest 100 ms after it came', async () => {
    const { log, say, end, outcome } = openStep();
    say('Hello');
    await vi.advanceTimersByTimeAsync(0);
    say(', wor');
    await vi.advanceTimersByTimeAsync(60);
    say('ld');
    await vi.advanceTimersByTimeAsync(39);
    expect(log.texts).not.toEqual(['Hello, world']);
    await vi.advanceTimersByTimeAsync(1);
    expect(log.texts).toEqual(['Hello, world']);

    say('!');
    await vi.advanceTimersByTimeAsync(100);
    expect(log.texts).toEqual(['Hello, world!']);
    await end();
    await outcome;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is stored immediately when 1,000 characters wait', async () => {
    const { log, say, end, outcome } = openStep();
    say('x');
    await vi.advanceTimersByTimeAsync(0);
    say('a'.repeat(999));
    await vi.advanceTimersByTimeAsync(0);
    expect(log.texts).toEqual(['x' + 'a'.repeat(999)]);
    await end();
    await outcome;
  });

  it('is stored to its end when the stream ends between two flushes', async () => {
    const { log, say, end, outcome } = openStep();
    say('Hello');
    await vi.advanceTimersByTimeAsync(10);
    say(' there');
    await end();
    await outcome;
    expect(log.texts).toEqual(['Hello there']);
    expect(log.parts[0]).toMatchObject({ state: 'completed', tokens: 2 });
  });

  it('is at most one write late when the store is slow, which then gets a pause', async () => {
    const log = createPartLog();
    const written: number[] = [];
    const slow: typeof log = {
      ...log,
      async updatePart(partId, changes) {
        written.push(Date.now() - startedAt);
        await new Promise((resolve) => setTimeout(resolve, 150));
        await log.updatePart(partId, changes);
      },
    };
    const startedAt = Date.now();
    const { say, end, outcome } = openStep(slow);
    for (let tick = 0; tick < 300; tick += 1) {
      say('word ');
      await vi.advanceTimersByTimeAsync(10);
    }
    // Once in 100 ms, once more immediately for what arrived in between, then only every tenth such interval.
    expect(written).toEqual([100, 250, 1_750]);
    await end();
    await vi.advanceTimersByTimeAsync(150);
    await outcome;
    expect(written).toHaveLength(4);
    expect(log.texts).toEqual(['word '.repeat(300)]);
  });

  it('is written once, not in pieces, when it ends during a slow write', async () => {
    const log = createPartLog();
    const blocked = Promise.withResolvers<void>();
    let updates = 0;
    const slow: typeof log = {
      ...log,
      async updatePart(partId, changes) {
        updates += 1;
        if (updates === 1) await blocked.promise;
        await log.updatePart(partId, changes);
      },
    };
    const { say, end, outcome } = openStep(slow);
    for (let tick = 0; tick < 100; tick += 1) {
      say('x'.repeat(600));
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(updates).toBe(1);
    await end();
    blocked.resolve();
    await outcome;
    expect(updates).toBe(2);
    expect(log.texts).toEqual(['x'.repeat(60_000)]);
  });
});
