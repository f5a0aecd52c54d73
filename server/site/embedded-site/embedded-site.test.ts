import { describe, expect, it } from 'vitest';
import type { ContentBackend, NewEntry } from '#server/site/content-backend';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import type { PatchOp } from '#server/core/site/content';
import type { ChangeOrigin } from '#server/core/site/changes';
import { createContentRepository } from '#server/site/store/content-repository';
import { createTestDatabase } from '#tests/support/test-database';

const api: ChangeOrigin = { actor: 'api' };
const turn: ChangeOrigin = { actor: 'assistant', sessionId: 'ses_1', turnId: 'trn_1', toolCallId: 'call_1' };

const pricing: NewEntry = {
  type: 'page',
  title: 'Pricing',
  excerpt: 'What it costs.',
  sections: [
    { type: 'hero', fields: { heading: 'Fair prices' } },
    { type: 'text', fields: { body: 'We charge by the glaze.' } },
  ],
};

async function withSite(test: (site: ContentBackend, url: string) => Promise<void>): Promise<void> {
  await using db = await createTestDatabase();
  let time = 1_000;
  const site = new EmbeddedSite(createContentRepository(db), { now: () => (time += 1) });
  await test(site, db.url);
}

/* What every backend promises is in tests/support/content-backend-contract.ts; here is how this one says it. */

describe('the embedded backend', () => {
  it('takes no groups and fields that only a connected CMS has, and writes nothing then', () =>
    withSite(async (site) => {
      const { entry } = await site.create(pricing, turn);
      const operation: PatchOp = { op: 'set', field: 'terms', value: { category: ['News'] } };
      await expect(site.patch(entry.id, [operation], api)).rejects.toThrow('no groups but tags');
      const custom = { op: 'set', field: 'custom', value: { price: '3' } } as const;
      const all = site.patchAll([{ entryId: entry.id, operations: [custom] }], api);
      await expect(all).rejects.toThrow('no custom fields');
      expect((await site.get(entry.id)).revision).toBe(1);
      const grouped = site.create({ ...pricing, slug: 'grouped', terms: { category: ['News'] } }, turn);
      await expect(grouped).rejects.toThrow('no groups but tags');
    }));

  it('looks for the sections of links where it shows the pages itself', async () => {
    await using db = await createTestDatabase();
    const issuesOn = async (isConnected: boolean) => {
      const site = new EmbeddedSite(createContentRepository(db, isConnected ? 'wps_1' : undefined), { isConnected });
      const sections = [{ type: 'text', fields: { body: '[Terms](#terms)' } }] as const;
      const { entry } = await site.create({ type: 'page', title: 'Legal', excerpt: 'Terms.', sections }, api);
      return (await site.validate(entry.id)).map(({ message }) => message);
    };
    expect(await issuesOn(false)).toEqual(['#terms leads to a section that is not there.']);
    expect(await issuesOn(true)).toEqual([]);
  });

  it('returns short ids and revisions from 1', () =>
    withSite(async (site) => {
      const { entry, change } = await site.create(pricing, turn);
      expect(entry.id).toMatch(/^pag_[a-z0-9]{6}$/);
      expect(entry.draft.sections.every(({ id }) => /^sec_[a-z0-9]{6}$/.test(id))).toBe(true);
      expect(change).toMatchObject({ id: expect.stringMatching(/^chg_[a-z0-9]{6}$/), revision: 1 });
    }));

  it('finds pages before posts', () =>
    withSite(async (site) => {
      const post = await site.create({ type: 'post', title: 'Prïcing' }, api);
      const page = await site.create(pricing, api);
      expect((await site.get('pricing')).id).toBe(page.entry.id);
      expect((await site.get('pricing', 'post')).id).toBe(post.entry.id);
    }));
});
