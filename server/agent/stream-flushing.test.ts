import type { TextStreamPart, ToolSet } from 'ai';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StreamProcessor } from '#server/agent/stream-processor';
import { createPartLog } from '#tests/support/part-log';

/** A step whose text comes when the test says so. */
function openStep() {
  const log = createPartLog();
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
});
