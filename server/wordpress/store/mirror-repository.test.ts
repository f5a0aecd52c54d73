import { describe, expect } from 'vitest';
import type { Database } from '#server/platform/database/database';
import { wordpressSites } from '#server/platform/database/schema/wordpress';
import { createMirrorRepository } from '#server/wordpress/store/mirror-repository';
import { itWithDatabase as it } from '#tests/support/test-database';

async function connect(db: Database, id: string) {
  const row = { url: `https://${id}.example`, username: 'u', password: 'p', name: id, isActive: false, abilities: {} };
  await db.write(async (tx) => {
    await tx.insert(wordpressSites).values({ id, ...row, createdAt: 1, updatedAt: 1 });
  });
  return createMirrorRepository(db, id);
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
      throw new Error('given up');
    });
    await expect(broken).rejects.toThrow('given up');
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
