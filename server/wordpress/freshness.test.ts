import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WordPressClient } from '#server/wordpress/client/wordpress-client';
import { createFreshness } from '#server/wordpress/freshness';
import type { Mirror } from '#server/wordpress/mirror/mirror';
import { SiteUnavailableError } from '#server/core/errors';

const link = { kind: 'page', localId: 'pag_1', remoteId: 1, known: null, seenAt: 0 };

/** Asks of one entry, counted; each is answered by `answer`. */
function askedOf(answer: () => Promise<never>) {
  const faults: (string | null)[] = [];
  const get = vi.fn(answer);
  const fresh = createFreshness(
    {
      mirror: { link: async () => link } as unknown as Mirror,
      client: { entries: { get } } as unknown as WordPressClient,
      siteUrl: 'https://a.example',
      now: () => Date.now(),
      secrets: { seal: (password) => password, open: (password) => password },
    },
    (work) => work(),
    { freshForMs: 3_000, onFault: (reason) => void faults.push(reason && reason.text) },
  );
  return { fresh, get, faults };
}

describe('the check of WordPress before a read', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_800_000_000_000 }));
  afterEach(() => void vi.useRealTimers());

  it('is left out for a while after one that failed, and never makes the read fail', async () => {
    const { fresh, get, faults } = askedOf(() => Promise.reject(new SiteUnavailableError('It is down.')));
    await fresh.entry('pag_1');
    vi.advanceTimersByTime(3_000);
    await fresh.entry('pag_1');
    expect([get.mock.calls.length, faults]).toEqual([1, ['It is down.']]);
    vi.advanceTimersByTime(10_000);
    await fresh.entry('pag_1');
    expect(get.mock.calls.length).toBe(2);
  });

  it('is not waited for as long as WordPress may take', async () => {
    const { fresh, faults } = askedOf(() => new Promise(() => undefined));
    const read = fresh.entry('pag_1');
    await vi.advanceTimersByTimeAsync(5_000);
    await read;
    expect(faults).toEqual([]);
  });

  it('is not needed for what was just written', async () => {
    const { fresh, get } = askedOf(() => Promise.reject(new SiteUnavailableError('It is down.')));
    fresh.wrote('pag_1');
    await fresh.entry('pag_1');
    expect(get).not.toHaveBeenCalled();
  });
});
