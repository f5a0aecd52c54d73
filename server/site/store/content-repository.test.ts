import { describe, expect } from 'vitest';
import type { Entry } from '#server/core/site/content';
import type { ChangeSet } from '#server/core/site/changes';
import { createContentRepository } from '#server/site/store/content-repository';
import { entries } from '#server/platform/database/schema/content';
import { CorruptRowError } from '#server/platform/database/json-column';
import { itWithDatabase as it } from '#tests/support/test-database';

const entry: Entry = {
  id: 'pag_1',
  type: 'page',
  revision: 1,
  status: 'changed',
  draft: {
    title: 'Änne',
    slug: 'anne',
    tags: ['x'],
    sections: [{ id: 'sec_1', type: 'text', fields: { body: '\u2028 ok 😀' } }],
  },
  published: { title: 'Old', slug: 'old', sections: [] },
  publishedAt: 5,
  publishAt: 7,
  planned: { title: 'Planned', slug: 'anne', sections: [] },
  deletedAt: null,
  createdAt: 1,
  updatedAt: 2,
};

const change: ChangeSet = {
  id: 'chg_1',
  targetType: 'page',
  targetId: 'pag_1',
  slug: 'anne',
  title: 'Änne',
  revision: 1,
  action: 'create',
  operations: [{ op: 'remove-section', sectionId: 'sec_0' }],
  inverse: [],
  summary: 'Created',
  summaryMessage: null,
  origin: { actor: 'assistant', sessionId: 'ses_1', turnId: 'trn_1', toolCallId: 'call_1' },
  undoneBy: null,
  createdAt: 1,
};

describe('createContentRepository', () => {
  it('gives back entries and changes exactly as they were saved', async ({ db }) => {
    const content = createContentRepository(db);
    const second = { ...change, id: 'chg_2', revision: 2, origin: { actor: 'seed' as const } };
    await content.write(async (tx) => {
      await tx.saveEntry(entry);
      await tx.addJournalEntry({ change, before: null, after: { a: [1] } });
      await tx.addJournalEntry({ change: second, before: { a: [1] }, after: {} });
    });
    expect(await content.entry('pag_1')).toEqual(entry);
    expect(await content.entryByPublishedSlug('page', 'old')).toEqual(entry);
    expect(await content.changes({ limit: 5 })).toEqual([second, change]);
    expect(await content.journalEntryAt('pag_1', 2)).toEqual({ change: second, before: { a: [1] }, after: {} });
    expect((await content.journalOf('pag_1')).map(({ change: { id }, existence }) => [id, existence])).toEqual([
      ['chg_1', true],
      ['chg_2', false],
    ]);
    expect((await content.journalOf('pag_1', 1)).map((line) => line.change)).toEqual([second]);
  });

  it('lets the database refuse a slug twice and keeps nothing of that transaction', async ({ db }) => {
    const content = createContentRepository(db);
    await content.write((tx) => tx.saveEntry(entry));
    const twice = content.write(async (tx) => {
      await tx.addJournalEntry({ change, before: null, after: null });
      await tx.saveEntry({ ...entry, id: 'pag_2' });
    });
    await expect(twice).rejects.toThrow();
    expect(await content.changes({ limit: 5 })).toEqual([]);
    await content.write((tx) => tx.saveEntry({ ...entry, deletedAt: 9 }));
    await content.write((tx) => tx.saveEntry({ ...entry, id: 'pag_2' }));
    expect((await content.sectionOwners(['sec_1', 'sec_2'])).map(({ entryId }) => entryId)).toEqual(['pag_2']);
  });

  it('names the damaged row', async ({ db }) => {
    const content = createContentRepository(db);
    await content.write((tx) => tx.saveEntry(entry));
    await db.write((tx) => tx.update(entries).set({ draft: { title: 7 } }));
    await expect(content.entry('pag_1')).rejects.toThrow(CorruptRowError);
  });
});
