import { expect, it } from 'vitest';
import { describeError } from '#server/http/error-response';
import { runBatch } from '#server/http/batches/run-batch';
import type { SiteServices } from '#server/services';
import { testEntry } from '#tests/support/test-entry';

it('ends a batch at an entry that a slow site does not finish, and reports that its outcome is unknown', async () => {
  const begun: string[] = [];
  // Of a connected site that never answers.
  const content = {
    find: async (id: string) => testEntry(id, { title: id, slug: id }),
    publish: (id: string) => {
      begun.push(id);
      return begun.length === 1 ? Promise.resolve({ change: null }) : new Promise(() => undefined);
    },
  } as unknown as SiteServices['content'];
  const { items } = await runBatch(
    { action: 'publish', ids: ['pag_1', 'pag_2', 'pag_3'], add: [], remove: [], author: '', parent: null },
    {
      content,
      origin: { actor: 'user' },
      signal: new AbortController().signal,
      entryTimeLimit: 20,
      describeError: (error) => ({ ...describeError(error), isGeneral: describeError(error).status >= 500 }),
    },
  );
  expect(begun).toEqual(['pag_1', 'pag_2']);
  expect(items.map(({ id, outcome }) => [id, outcome])).toEqual([
    ['pag_1', 'unchanged'],
    ['pag_2', 'unknown'],
    ['pag_3', 'skipped'],
  ]);
  expect(items[1]!.error).toMatchObject({ code: 'site_unavailable', reason: { code: 'site-maybe-written' } });
});
