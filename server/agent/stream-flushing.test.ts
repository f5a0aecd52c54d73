import type { TextStreamPart, ToolSet } from 'ai';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StreamProcessor } from '#server/agent/stream-processor';
import { createPartLog } from '#tests/support/part-log';

/** A step whose text comes when the test says so. */
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

  it('is stored at once when 1,000 characters wait', async () => {
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

  it('is one write behind at most when the store is slow, which is then left alone for a while', async () => {
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
    // Once in 100 ms, once more at once for what came meanwhile, then only every tenth such time.
    expect(written).toEqual([100, 250, 1_750]);
    await end();
    await vi.advanceTimersByTimeAsync(150);
    await outcome;
    expect(written).toHaveLength(4);
    expect(log.texts).toEqual(['word '.repeat(300)]);
  });

  it('is written once more, not piece by piece, when it ends behind a write that takes long', async () => {
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
