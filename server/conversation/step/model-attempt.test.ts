import { ownTools } from '#server/tools/index';
import { describe, expect, it } from 'vitest';
import { callModel, OutputWatch } from '#server/conversation/step/model-attempt';
import { StreamProcessor } from '#server/conversation/step/stream-processor';
import { toToolSet } from '#server/conversation/step/toolboxes';
import type { PreparedContext } from '#server/context/context-manager';
import type { Measured } from '#server/context/current-tokens';
import { createPartLog } from '#tests/support/part-log';
import { finish, scriptedModel, type ScriptedStep, textBlock } from '#tests/support/scripted-model';
import type { TextStreamPart, ToolSet } from 'ai';
import fc from 'fast-check';
import { countTokens, SLICE_LENGTH } from '#server/context/tokens';

const target = {
  modelId: 'test/scripted',
  contextWindow: 10_000,
  maxOutputTokens: 4_000,
  tokenFactor: 1,
  fixed: { instructions: 100, tools: 900 },
  warning: null,
};

/** One step of a request that measures `currentTokens`, of which no report covers `estimatedTokens`. */
async function call(step: ScriptedStep, currentTokens: number, estimatedTokens = 0) {
  const { model, requests } = scriptedModel(step);
  const log = createPartLog();
  const measured = { currentTokens, estimatedTokens } as Measured;
  const outcome = await callModel({
    model: { id: target.modelId, model },
    target,
    tools: toToolSet(ownTools.tools),
    settings: { estimateMargin: 0.1 },
    mayCall: true,
    instructions: 'Be brief.',
    prepared: {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Go' }] }],
      usage: { currentTokens },
      realTimeLimit: 9_000,
      measured,
    } as PreparedContext,
    processor: new StreamProcessor(log, () => undefined),
    signal: new AbortController().signal,
  });
  return { outcome, log, request: requests[0] };
}

const words = (count: number) => textBlock('t', ...Array.from({ length: count / 10 }, () => ' word'.repeat(10)));

describe('callModel', () => {
  it('lets a step that stays below the limit end by itself', async () => {
    const { outcome } = await call([...words(900), finish()], 8_000);
    expect(outcome).toMatchObject({ wasCut: false, finishReason: 'stop', usage: { inputTokens: 100 } });
  });

  it('cuts a step at the limit, stops the request, and estimates its usage', async () => {
    let signal: AbortSignal | undefined;
    const step: ScriptedStep = async (write, options) => {
      signal = options.abortSignal;
      for (const part of words(5_000).slice(0, -1)) write(part);
      await new Promise(() => undefined);
    };
    const { outcome, log } = await call(step, 8_000);
    expect(signal?.aborted).toBe(true);
    expect(outcome).toMatchObject({ wasCut: true, error: undefined, status: 'complete', hasContent: true });
    expect(outcome.usage).toMatchObject({ inputTokens: 8_000 });
    expect(outcome.usage?.outputTokens).toBeGreaterThanOrEqual(1_000);
    expect(outcome.usage?.outputTokens).toBeLessThan(1_050);
    expect(log.parts).toMatchObject([{ type: 'text', state: 'completed', content: { text: outcome.lastText } }]);
    expect(outcome.lastText.length).toBeGreaterThanOrEqual(5_000);
  });

  it('does not cut an answer that has already ended', async () => {
    const { outcome } = await call([...words(300), finish('stop', { input: 8_900, output: 300 })], 8_900);
    expect(outcome.wasCut).toBe(true);
    const { outcome: ended } = await call(
      [...textBlock('t', 'Fine.'), finish('stop', { input: 9_500, output: 2 })],
      8_900,
    );
    expect(ended).toMatchObject({ wasCut: false, usage: { inputTokens: 9_500 } });
  });

  it.each([
    [2_000, 0, 4_000, 4_000, false],
    [7_000, 0, 2_000, 2_000, true],
    [7_000, 0, 2_000, 512, false],
    [6_000, 6_000, 3_000, 2_900, true],
    [8_500, 8_500, 500, 480, true],
  ])(
    'with %i tokens, %i of them estimated, allows %i; "length" after %i is a cut of ours: %s',
    async (currentTokens, estimatedTokens, cap, outputTokens, wasCut) => {
      const step = [...textBlock('t', 'Once upon'), finish('length', { input: currentTokens, output: outputTokens })];
      const { outcome, request } = await call(step, currentTokens, estimatedTokens);
      expect(request?.maxOutputTokens).toBe(cap);
      expect(outcome).toMatchObject({ wasCut, usage: { inputTokens: currentTokens, outputTokens } });
    },
  );
});

type StreamPart = TextStreamPart<ToolSet>;
const text = (delta: string): StreamPart => ({ type: 'text-delta', id: 't', text: delta });
const SENTENCE = 'Every piece is thrown by hand and fired twice in the electric kiln. ';

describe('OutputWatch', () => {
  it('counts text, reasoning and tool input, and nothing else', () => {
    const watch = new OutputWatch(1_000, 1);
    watch.add({ type: 'text-start', id: 't' });
    watch.add(text(SENTENCE));
    watch.add({ type: 'reasoning-delta', id: 'r', text: SENTENCE });
    watch.add({ type: 'tool-input-delta', id: 'c', delta: SENTENCE });
    watch.add({ type: 'tool-call', toolCallId: 'c', toolName: 'undo', input: { text: SENTENCE } });
    expect(watch.tokens).toBe(countTokens(SENTENCE.repeat(3)));
  });

  it('counts nearly the same however the text is cut into pieces', () => {
    const whole = SENTENCE.repeat(60);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 700 }), (size) => {
        const watch = new OutputWatch(Infinity, 1);
        for (let start = 0; start < whole.length; start += size) watch.add(text(whole.slice(start, start + size)));
        const exact = countTokens(whole);
        // The whole is counted in slices too: at their borders a word can count one token more.
        expect(watch.tokens).toBeGreaterThanOrEqual(exact - Math.ceil(whole.length / SLICE_LENGTH));
        expect(watch.tokens).toBeLessThanOrEqual(exact * 1.03);
      }),
      { numRuns: 50 },
    );
  });

  it("says that the limit is reached, in the model's tokens, with the piece that reaches it", () => {
    const watch = new OutputWatch(countTokens(SENTENCE.repeat(2)) * 1.5, 1.5);
    expect(watch.add(text(SENTENCE))).toBe(false);
    expect(watch.add(text(SENTENCE))).toBe(true);
    expect(new OutputWatch(0, 1).add(text('a'))).toBe(true);
  });

  it('reports the limit at the same piece as counting each of them, for any text', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: fc.constantFrom('a', ' ', '漢', '😀', '\uD83D', '\n'), minLength: 1, maxLength: 90 }),
        ),
        fc.integer({ min: 0, max: 900 }),
        fc.constantFrom(0.7, 1, 1.5),
        (pieces, room, factor) => {
          const watch = new OutputWatch(room, factor);
          for (const piece of pieces) expect(watch.add(text(piece))).toBe(watch.tokens >= room);
        },
      ),
    );
  });
});
