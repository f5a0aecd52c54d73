import { expect } from 'vitest';
import { plainContext } from '#server/blocks/block-context';
import { keepPast, readPast } from '#server/wordpress/entry-past';
import { planEntry } from '#server/wordpress/entry-plan';
import type { KnownEntry } from '#server/wordpress/mirror';
import type { Section } from '#server/core/content';
import { createContentRepository } from '#server/store/content-repository';
import { wordpressSites } from '#server/store/schema/wordpress';
import { itWithDatabase as it } from '#tests/support/test-database';

const SITE = { id: 'wps_1', url: 'https://a.example', username: 'u', password: 's', name: 'A' };
const section = (body: string): Section => ({ id: 'sec_aaaa', type: 'text', fields: { body } });
const paragraph = (html: string, colour = 'red') =>
  `<!-- wp:paragraph {"c":"${colour}"} -->\n<p>${html}</p>\n<!-- /wp:paragraph -->`;

/** A state of the entry: what it says, in these bytes. */
function stateOf(body: string, raw: string, status: 'draft' | 'private' | 'publish' = 'draft'): KnownEntry {
  const { id: sectionId, type, fields } = section(body);
  const isPublished = status === 'publish';
  return {
    modified: 1,
    hash: raw,
    status: isPublished ? 'published' : 'draft',
    slug: 'kiln',
    address: '',
    date: isPublished ? 5_000_000 : null,
    document: { title: 'Kiln & Co', slug: 'kiln' },
    blocks: [{ sectionId, type, fields, raw }],
    fields: {
      status,
      password: '',
      sticky: false,
      title: 'Kiln &amp; <em>Co</em>',
      excerpt: '',
      dateGmt: 5_000_000,
      tagIds: [],
      parentRemoteId: null,
      featuredMedia: null,
      builder: '',
      seo: null,
    },
  };
}

it('what was there is found for what is to be there, unless it was changed unseen since', async ({ db }) => {
  await db.write((tx) =>
    tx
      .insert(wordpressSites)
      .values({ ...SITE, isActive: true, abilities: {}, createdAt: 1, updatedAt: 1 })
      .run(),
  );
  const mirror = createContentRepository(db, SITE.id);
  const keep = (state: KnownEntry) => mirror.write((tx) => keepPast(tx, 'pag_1', state));
  const pastOf = (present: KnownEntry, body: string, status: 'draft' | 'published' = 'draft') =>
    readPast(mirror, 'pag_1', present, {
      document: { ...present.document, sections: [section(body)] },
      status,
      date: status === 'draft' ? null : 5_000_000,
      marks: status === 'draft' ? ['private'] : [],
    });
  const present = stateOf('Two', `${paragraph('Two')}\n`, 'publish');
  expect((await pastOf(present, 'One')).blocks).toBeNull();

  await keep(stateOf('One', `\n${paragraph('One')}\n\n\n`, 'private'));
  const found = await pastOf(present, 'One');
  expect(found.blocks?.map(({ raw }) => raw)).toEqual([`\n${paragraph('One')}\n\n\n`]);
  expect(found.markup(section('One'))).toBe(paragraph('One'));
  expect(found.fields).toMatchObject({ status: 'private', title: 'Kiln &amp; <em>Co</em>' });
  expect((await pastOf(present, 'Three')).blocks).toBeNull();
  expect((await pastOf(present, 'Two', 'published')).blocks).toBeNull();

  // Ours, then somebody gave it another colour.
  await keep(present);
  const coloured = stateOf('Two', `${paragraph('Two', 'blue')}\n`, 'publish');
  const changed = await pastOf(coloured, 'One');
  expect([changed.blocks, changed.markup(section('One'))]).toEqual([null, undefined]);
  expect(changed.fields.status).toBe('private');

  // And somebody put a spacer below.
  const spaced = stateOf('Two', `${paragraph('Two')}\n\n<!-- wp:spacer /-->\n`, 'publish');
  const below = await pastOf(spaced, 'One');
  expect([below.blocks, below.markup(section('One'))]).toEqual([null, paragraph('One')]);
});

it('a group that was there comes back by its id, not by a name that another one may have', async ({ db }) => {
  await db.write((tx) =>
    tx
      .insert(wordpressSites)
      .values({ ...SITE, isActive: true, abilities: {}, createdAt: 1, updatedAt: 1 })
      .run(),
  );
  const mirror = createContentRepository(db, SITE.id);
  // Two categories may have one name, below different parents.
  const inGroups = (ids: readonly number[]): KnownEntry => {
    const state = stateOf('One', paragraph('One'));
    const names = ids.map(() => 'News');
    const category = ids.map((id) => ({ id, name: 'News' }));
    return {
      ...state,
      document: { ...state.document, ...(ids.length > 0 && { terms: { category: names } }) },
      fields: { ...state.fields!, ...(ids.length > 0 && { terms: { category } }) },
    };
  };
  const plannedFor = async (present: KnownEntry) => {
    const document = { ...present.document, terms: { category: ['News'] }, sections: [section('One')] };
    const past = await readPast(mirror, 'pag_1', present, { document, status: 'draft', date: null });
    const state = {
      draft: document,
      published: null,
      publishedAt: null,
      publishAt: null,
      planned: null,
      deletedAt: null,
    };
    const world = { context: plainContext, now: 1, parent: null, cover: null, past, open: () => null };
    return planEntry('post', state, present, world).fields;
  };
  expect(await plannedFor(inGroups([]))).toMatchObject({ terms: { category: ['News'] } });
  await mirror.write((tx) => keepPast(tx, 'pag_1', inGroups([12])));
  const planned = await plannedFor(inGroups([]));
  expect(planned).toMatchObject({ termIds: { category: [12] } });
  expect(planned).not.toHaveProperty('terms');
  // Of two states that were so, the newer one counts.
  await mirror.write((tx) => keepPast(tx, 'pag_1', inGroups([34])));
  expect(await plannedFor(inGroups([]))).toMatchObject({ termIds: { category: [34] } });
});
