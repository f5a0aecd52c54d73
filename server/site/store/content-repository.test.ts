import { describe, expect } from 'vitest';
import type { Entry } from '#server/core/site/content';
import type { ChangeSet } from '#server/core/site/changes';
import { createContentRepository } from '#server/site/store/content-repository';
import type { Database } from '#server/platform/database/database';
import { entries } from '#server/platform/database/schema/content';
import { wordpressSites } from '#server/platform/database/schema/wordpress';
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

async function connect(db: Database, id: string) {
  const row = { url: `https://${id}.example`, username: 'u', password: 'p', name: id, isActive: false, abilities: {} };
  await db.write(async (tx) => {
    await tx.insert(wordpressSites).values({ id, ...row, createdAt: 1, updatedAt: 1 });
  });
  return createContentRepository(db, id);
}

const link = (localId: string, remoteId: number, known: object) => ({
  kind: 'page' as const,
  localId,
  remoteId,
  known: { ...known },
  seenAt: 1,
});

describe('links to a mirrored site', () => {
  it('are of one site, found by either id, and change in place', async ({ db }) => {
    const [one, other] = [await connect(db, 'wps_one'), await connect(db, 'wps_two')];
    await one.write((tx) => tx.saveLink(link('pag_aaaaaa', 7, { address: 'https://a', modified: 5 })));
    await other.write((tx) => tx.saveLink(link('pag_bbbbbb', 7, {})));
    expect(await one.linkByRemote('page', 7)).toMatchObject({ localId: 'pag_aaaaaa' });
    expect(await one.link('pag_bbbbbb')).toBeNull();
    expect(await one.addresses()).toEqual([
      { kind: 'page', localId: 'pag_aaaaaa', remoteId: 7, address: 'https://a', kindSlug: null },
    ]);
    expect(await other.marks('page')).toEqual([{ localId: 'pag_bbbbbb', remoteId: 7, modified: 0, kindSlug: null }]);
    await one.write((tx) => tx.saveLink({ ...link('pag_aaaaaa', 8, { hash: 'h' }), kind: 'asset' }));
    expect(await one.linkByHash('h')).toMatchObject({ remoteId: 8 });
    expect(await one.links('page')).toEqual([]);
  });

  it('are written and undone together with the content', async ({ db }) => {
    const site = await connect(db, 'wps_one');
    const broken = site.write(async (tx) => {
      await tx.saveLink(link('pag_aaaaaa', 7, {}));
      expect(await tx.link('pag_aaaaaa')).not.toBeNull();
      throw new Error('no');
    });
    await expect(broken).rejects.toThrow('no');
    expect(await site.links()).toEqual([]);
    await site.write((tx) => tx.saveLink(link('pag_aaaaaa', 7, {})));
    await site.write((tx) => tx.removeLink('pag_aaaaaa'));
    expect(await site.links()).toEqual([]);
  });

  it("never let one site overwrite another's entry with the same id", async ({ db }) => {
    const [one, other] = [await connect(db, 'wps_one'), await connect(db, 'wps_two')];
    const draft = { title: 'A', slug: 'a', sections: [] };
    const state = { draft, published: null, publishedAt: null, publishAt: null, planned: null, deletedAt: null };
    const saved = { id: 'pag_aaaaaa', type: 'page', revision: 1, status: 'draft', createdAt: 1, updatedAt: 1 } as const;
    await one.write((tx) => tx.saveEntry({ ...saved, ...state }));
    const foreign = { ...saved, ...state, draft: { ...draft, title: 'B' } };
    await expect(other.write((tx) => tx.saveEntry(foreign))).rejects.toThrow(/another site/);
    expect((await one.entry('pag_aaaaaa'))?.draft.title).toBe('A');
  });
});
