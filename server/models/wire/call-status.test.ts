import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CallStatus, reportCallStatus, withCallStatus, withinAnswerTime } from '#server/models/wire/call-status';

const LIMIT = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A call that reports these statuses, each after the same time, and then answers after that time. */
async function call(statuses: readonly CallStatus['kind'][], everyMs: number): Promise<string> {
  const outcome = withinAnswerTime(LIMIT, async (signal) => {
    const wait = () =>
      new Promise((resolve, reject) => {
        setTimeout(resolve, everyMs);
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    for (const kind of statuses) {
      await wait();
      reportCallStatus(kind === 'tools-left-out' ? { kind, names: [] } : { kind });
    }
    await wait();
    return 'answered';
  }).catch((error: unknown) => (error as Error).name);
  await vi.advanceTimersByTimeAsync(everyMs * (statuses.length + 2));
  return outcome;
}

describe('the time for an answer', () => {
  it.each<[string, readonly CallStatus['kind'][], number, string]>([
    ['ends an answer that takes too long', [], LIMIT + 1, 'TimeoutError'],
    ['does not include the wait for another request', ['queued', 'sent'], LIMIT - 1, 'answered'],
    ['does not include the time in which the model is loaded', ['loading', 'sent'], LIMIT - 1, 'answered'],
    ['does not include a wait and then a load', ['queued', 'loading', 'sent'], LIMIT - 1, 'answered'],
    ['includes what follows a wait', ['queued', 'sent', 'tools-left-out'], LIMIT - 1, 'TimeoutError'],
  ])('%s', async (_, statuses, everyMs, outcome) => {
    expect(await call(statuses, everyMs)).toBe(outcome);
  });

  it('is unlimited while the request waits', async () => {
    expect(await call(['queued', 'queued', 'queued', 'sent'], LIMIT - 1)).toBe('answered');
  });
});

it('reports a delay also to the call of which this one is a part', async () => {
  const seen: string[] = [];
  await withCallStatus(
    ({ kind }) => seen.push(kind),
    () => withinAnswerTime(LIMIT, () => Promise.resolve(reportCallStatus({ kind: 'queued' }))),
  );
  expect(seen).toEqual(['queued']);
});
