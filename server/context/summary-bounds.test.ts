import { afterEach, describe, expect, it, vi } from 'vitest';
import { uncodedText } from '#server/core/message-data';
import type { SummaryOutcome } from '#server/core/conversation/compactions';
import type { NewMessage } from '#server/core/conversation/messages';
import type { ContextSettings } from '#server/context/settings/context-settings';
import type { ContextRequest, Summarizer } from '#server/context/ports';
import { text } from '#tests/support/arbitrary-history';
import { holdTimeouts } from '#tests/support/held-timers';
import { TestSession } from '#tests/support/test-session';
import { TOLD, counted, engineWith, requestFor, summarizerOf } from '#tests/support/small-engine';

afterEach(() => vi.restoreAllMocks());

const MINUTE = 60_000;

/** A turn of about so many tokens. */
function turn(name: string | number, tokens = 1_400): NewMessage[] {
  return [
    { role: 'user', parts: [text(`Request ${name}`)] },
    { role: 'assistant', parts: [text(`Answer ${name} ${'talk '.repeat(tokens)}`)] },
  ];
}

/** One session in memory with its own clock, for a model with a window of 16,000 tokens. */
function session(summarizer: Summarizer, changes: Partial<ContextSettings> = {}) {
  let time = 1_000_000;
  const store = new TestSession(() => time);
  const told: SummaryOutcome[] = [];
  const start = () =>
    engineWith(
      changes,
      () => time,
      (outcome) => void told.push(outcome),
    );
  const request: ContextRequest = requestFor(store, summarizer);
  return {
    store,
    told,
    start,
    engine: start(),
    request,
    say: (...messages: readonly NewMessage[]) => void store.appendMany(counted(messages)),
    pass: (ms: number) => void (time += ms),
  };
}

/** A summarizer that fails like this, and how often it was asked. */
function failing(error: () => Error = () => new Error('overloaded'), explain?: Summarizer['explain']) {
  let calls = 0;
  const summarizer = summarizerOf(() => {
    calls += 1;
    return Promise.reject(error());
  });
  return { summarizer: { ...summarizer, ...(explain && { explain }) }, calls: () => calls };
}

function unusable() {
  let calls = 0;
  const summarizer = summarizerOf(() => {
    calls += 1;
    return Promise.resolve('');
  });
  return { summarizer, calls: () => calls };
}

describe('a summarizer that always fails', () => {
  it.each([
    ['with an error', failing(), 6, 'overloaded'],
    ['with a text that cannot be used', unusable(), 8, 'It is empty.'],
  ])('%s is asked ever more rarely over 20 turns, and the conversation fits', async (_, failed, bound, reason) => {
    const { summarizer, calls } = failed;
    const { engine, request, say, pass, told } = session(summarizer);
    let most = 0;
    for (let index = 0; index < 20; index += 1) {
      const before = calls();
      say(...turn(index));
      const { usage } = await engine.prepare(request);
      expect(usage.isOverflow).toBe(false);
      await engine.prepareSummary(request);
      most = Math.max(most, calls() - before);
      pass(MINUTE);
    }
    expect(most).toBeLessThanOrEqual(3);
    expect(calls()).toBeLessThanOrEqual(bound);
    expect(calls()).toBeGreaterThan(2);
    expect(told.filter(({ outcome }) => outcome === 'failed')).not.toEqual([]);
    expect(told.find(({ outcome }) => outcome === 'failed')?.reason).toContain(reason);
  });

  it('is not called again right after a restart, unless the user requests it', async () => {
    const { summarizer, calls } = failing();
    const { engine, start, request, say, pass } = session(summarizer);
    say(...turn('first', 11_500), ...turn('second', 50));
    expect((await engine.prepare(request)).compaction).toMatchObject({ strategy: 'ledger' });
    const first = calls();
    pass(MINUTE);
    say(...turn('third', 11_500), ...turn('fourth', 50));
    const restarted = start();
    expect((await restarted.prepare(request)).compaction).toMatchObject({ strategy: 'ledger' });
    expect(calls()).toBe(first);
    for (const name of ['fifth', 'sixth', 'seventh']) say(...turn(name, 500));
    await restarted.compact(request);
    expect(calls()).toBe(first + 1);
  });

  it('is not asked before the time that its provider names', async () => {
    const explain = () => ({ reason: uncodedText('Too many requests.'), mayPass: true, retryAfterMs: 3 * 60 * MINUTE });
    const { summarizer, calls } = failing(undefined, explain);
    const { engine, request, say, pass } = session(summarizer);
    const attempt = async () => {
      say(...turn('long', 11_500), ...turn('short', 50));
      expect((await engine.prepare(request)).compaction).toMatchObject({ strategy: 'ledger' });
      return calls();
    };
    expect(await attempt()).toBe(1);
    pass(170 * MINUTE);
    expect(await attempt()).toBe(1);
    pass(11 * MINUTE);
    expect(await attempt()).toBe(2);
  });

  it('is asked again within one compaction, each time that its provider names once it has passed', async () => {
    const time = holdTimeouts(25_000);
    const { summarizer, calls } = failing(undefined, () => {
      setImmediate(() => time.runOut());
      return { reason: uncodedText('Too many requests.'), mayPass: true, retryAfterMs: 25_000 };
    });
    const { engine, request, say } = session(summarizer);
    say(...turn('long', 11_500), ...turn('short', 50));
    await engine.prepare(request);
    expect(calls()).toBe(3);
  });

  it('is asked once where asking again is of no use', async () => {
    const { summarizer, calls } = failing(undefined, () => ({ reason: uncodedText('No such key.'), mayPass: false }));
    const { engine, request, say } = session(summarizer);
    say(...turn('long', 11_500), ...turn('short', 50));
    await engine.prepare(request);
    expect(calls()).toBe(1);
  });
});

describe('the time for one compaction', () => {
  it('starts when the background summary starts, and no other summary starts after its end', async () => {
    const time = holdTimeouts(77_777);
    const asked = Promise.withResolvers<void>();
    let calls = 0;
    const slow = summarizerOf((signal) => {
      calls += 1;
      asked.resolve();
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
    });
    const { store, engine, request, say } = session(slow, { summaryTimeout: 77_777, summaryCallTimeout: 77_777 });
    for (let index = 0; index < 7; index += 1) say(...turn(index));
    const background = engine.prepareSummary(request);
    await asked.promise;
    say(...turn('more', 3_000));
    const step = engine.prepare(request);
    await expect.poll(() => store.isCompacting()).toBe(true);
    time.runOut();
    expect((await step).compaction).toMatchObject({ strategy: 'ledger' });
    await background;
    expect(calls).toBe(1);
  });
});

describe('the calls for one compaction', () => {
  it('are one, however small the window of the summarizer', async () => {
    let calls = 0;
    const small = summarizerOf(() => {
      calls += 1;
      return Promise.resolve(TOLD);
    });
    const { engine, request, say } = session({ ...small, inputTokens: 600 });
    for (let index = 0; index < 60; index += 1) say(...turn(index, 180));
    const { compaction } = await engine.prepare(request);
    expect(compaction).toMatchObject({ strategy: 'reactive-overflow' });
    expect(calls).toBe(1);
  });
});

describe('a prepared summary', () => {
  it('is used, five times of five, however much was said since', async () => {
    let calls = 0;
    const summarizer = summarizerOf(() => {
      calls += 1;
      return Promise.resolve(`${TOLD}\nTold for the time ${calls}.`);
    });
    const { engine, request, say, told, store } = session(summarizer);
    for (let round = 0; round < 5; round += 1) {
      while ((await engine.inspect(request)).usage.currentTokens < 10_000) say(...turn(round, 700));
      await engine.prepareSummary(request);
      expect(told.at(-1)).toMatchObject({ outcome: 'written', trigger: 'background' });
      const prepared = `Told for the time ${calls}.`;
      // Fills the larger part of the window.
      for (let more = 0; more < 6; more += 1) say(...turn(`${round} and ${more}`, 1_300));
      const { usage } = await engine.prepare(request);
      expect(usage.isOverflow).toBe(false);
      expect(told.filter(({ outcome }) => outcome === 'used')).toHaveLength(round + 1);
      expect(store.summaries().some((summary) => summary.includes(prepared))).toBe(true);
    }
    expect(told.filter(({ outcome }) => outcome === 'dropped')).toEqual([]);
  });

  it('includes excerpts of answers given after it was written, also for the next summarizer', async () => {
    const transcripts: string[] = [];
    const one = summarizerOf(() => Promise.resolve(TOLD));
    const summarizer: Summarizer = {
      ...one,
      summarize: (asked) => {
        transcripts.push(asked.transcript);
        return one.summarize(asked);
      },
    };
    const { engine, request, say, told, store } = session(summarizer);
    for (let index = 0; index < 7; index += 1) say(...turn(index));
    await engine.prepareSummary(request);
    expect(told).toMatchObject([{ outcome: 'written' }]);
    const later = ['Wren', 'Tern', 'Heron', 'Siskin', 'Dipper', 'Plover'];
    for (const bird of later)
      say(
        { role: 'user', parts: [text(`A name for the ${bird} cup?`)] },
        { role: 'assistant', parts: [text(`Call it ${bird}song. ${'talk '.repeat(1_300)}`)] },
      );
    await engine.prepare(request);
    expect(told.at(-1)).toMatchObject({ outcome: 'used' });
    const view = await store.loadView();
    const shown = JSON.stringify(view);
    for (const bird of later) expect(shown).toContain(`Call it ${bird}song.`);
    // They are no longer among the messages.
    expect(view.messages.some(({ parts }) => JSON.stringify(parts).includes('Call it Wrensong'))).toBe(false);

    for (let index = 0; index < 6; index += 1) say(...turn(`then ${index}`));
    await engine.compact(request);
    expect(transcripts.at(-1)).toContain('Call it Wrensong.');
  });

  it('is never written in vain over a long day of turns short and long', async () => {
    let calls = 0;
    const summarizer = summarizerOf(() => {
      calls += 1;
      return Promise.resolve(`${TOLD}\nTold for the time ${calls}.`);
    });
    const { engine, request, say, told, store } = session(summarizer);
    const count = (outcome: SummaryOutcome['outcome']) => told.filter((each) => each.outcome === outcome).length;
    for (let index = 0; count('written') < 10; index += 1) {
      // From a few words to a third of what is usable.
      say(...turn(index, [40, 900, 300, 2_500, 120, 700, 3_500][index % 7]));
      expect((await engine.prepare(request)).usage.isOverflow).toBe(false);
      await engine.prepareSummary(request);
    }
    const ahead = told.filter(({ outcome, trigger }) => outcome === 'written' && trigger === 'background').length;
    // The last one may still wait.
    expect(ahead - count('used')).toBeLessThanOrEqual(1);
    expect(ahead).toBeGreaterThan(2);
    expect(count('dropped')).toBe(0);
    expect(store.list().filter(({ status }) => status === 'failed')).toEqual([]);
    expect(calls).toBe(10);
  });

  it('is kept when the compaction that took it could not be stored', async () => {
    let calls = 0;
    const summarizer = summarizerOf(() => {
      calls += 1;
      return Promise.resolve(TOLD);
    });
    const { engine, request, say, store, told } = session(summarizer);
    for (let index = 0; index < 7; index += 1) say(...turn(index));
    await engine.prepareSummary(request);
    vi.spyOn(store, 'saveCompaction').mockRejectedValueOnce(new Error('The disk is full.'));
    await expect(engine.compact(request)).rejects.toThrow('The disk is full.');
    expect(await engine.compact(request)).toMatchObject({ round: 1, strategy: 'reactive-overflow' });
    expect(calls).toBe(1);
    expect(told.map(({ outcome }) => outcome)).toEqual(['written', 'used']);
    const billed = store.list().filter(({ usage }) => usage !== null);
    expect(billed).toMatchObject([{ status: 'completed', usage: { inputTokens: 700 } }]);
  });
});
