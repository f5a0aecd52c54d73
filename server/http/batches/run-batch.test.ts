import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { describeError } from '#server/http/error-response';
import { runBatch } from '#server/http/batches/run-batch';
import type { SiteServices } from '#server/services';
import { testEntry } from '#tests/support/test-entry';

/** Publishes three pages of a site that is slower than the time of an entry. */
function publishAt(site: { find?: (id: string) => Promise<unknown>; publish: (id: string) => Promise<unknown> }) {
  const find = async (id: string) => testEntry(id, { title: id, slug: id });
  const onLateFailure = vi.fn<(failure: unknown) => void>();
  const running = runBatch(
    { action: 'publish', ids: ['pag_1', 'pag_2', 'pag_3'], add: [], remove: [], author: '', parent: null },
    {
      content: { find, ...site } as unknown as SiteServices['content'],
      origin: { actor: 'user' },
      signal: new AbortController().signal,
      entryTimeLimit: 20,
      onLateFailure,
      describeError: (error) => ({ ...describeError(error), isGeneral: describeError(error).status >= 500 }),
    },
  );
  return { running, onLateFailure };
}

it('ends a batch at an entry that a slow site does not finish, and reports that its outcome is unknown', async () => {
  const begun: string[] = [];
  const { running } = publishAt({
    publish: (id) => {
      begun.push(id);
      return begun.length === 1 ? Promise.resolve({ change: null }) : new Promise(() => undefined);
    },
  });
  const { items } = await running;
  expect(begun).toEqual(['pag_1', 'pag_2']);
  expect(items.map(({ id, outcome }) => [id, outcome])).toEqual([
    ['pag_1', 'unchanged'],
    ['pag_2', 'unknown'],
    ['pag_3', 'skipped'],
  ]);
  expect(items[1]!.error).toMatchObject({ code: 'site_unavailable', reason: { code: 'site-maybe-written' } });
});

it('ends a batch at an entry that a slow site does not find in time, and never writes that entry', async () => {
  const found = Promise.withResolvers<unknown>();
  const publish = vi.fn<() => Promise<unknown>>();
  const { items } = await publishAt({ find: () => found.promise, publish }).running;
  expect(items.map(({ outcome }) => outcome)).toEqual(['skipped', 'skipped', 'skipped']);
  expect(items[0]!.error).toMatchObject({ code: 'site_unavailable', reason: { code: 'batch-entry-late' } });
  found.resolve(testEntry('pag_1', { title: 'A', slug: 'a' }));
  await setImmediate();
  expect(publish).not.toHaveBeenCalled();
});

it('reports the error of a write that fails after its time', async () => {
  const writing = Promise.withResolvers<unknown>();
  const { running, onLateFailure } = publishAt({ publish: () => writing.promise });
  await running;
  expect(onLateFailure).not.toHaveBeenCalled();
  const failure = new Error('The site broke.');
  writing.reject(failure);
  await expect(writing.promise).rejects.toThrow(failure);
  expect(onLateFailure.mock.calls).toEqual([[failure]]);
});
