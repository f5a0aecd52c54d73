import { describe, expect, it, vi } from 'vitest';
import { repeat } from '#server/conversation/turn/background-work';

describe('a repetition', () => {
  it('never runs concurrently with itself, and ends after the current run', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let begun = 0;
    const repetition = repeat(async () => gates[begun++]?.promise, 1);
    await vi.waitFor(() => expect(begun).toBe(1));
    // Another one runs in between.
    let beats = 0;
    const other = repeat(async () => void (beats += 1), 1);
    await vi.waitFor(() => expect(beats).toBeGreaterThan(3));
    await other.stop();
    expect(begun).toBe(1);
    gates[0]!.resolve();
    await vi.waitFor(() => expect(begun).toBe(2));
    let hasStopped = false;
    const stopped = repetition.stop().then(() => (hasStopped = true));
    await Promise.resolve();
    expect(hasStopped).toBe(false);
    gates[1]!.resolve();
    await stopped;
    expect(begun).toBe(2);
  });
});
