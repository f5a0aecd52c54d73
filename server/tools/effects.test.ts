import { expect, it } from 'vitest';
import type { ContentBackend } from '#server/content/content-backend';
import type { Entry } from '#server/core/content';
import { goneFromSite } from '#server/tools/effects';

it.each([
  [0, []],
  [1, ['It has 1 subpage.']],
  [2, ['It has 2 subpages.']],
])('warns of %i subpages of a page that visitors would no longer find', async (count, warnings) => {
  const references = Array.from({ length: count }, () => ({ kind: 'child' }));
  const content = { referencesTo: () => Promise.resolve(references) } as unknown as ContentBackend;
  const entry = { id: 'pag_1', type: 'page' } as Entry;
  expect(await goneFromSite(content, entry)).toEqual({ references, warnings });
});
