import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { alignSections, readKnown } from '#server/wordpress/blocks/align-sections';
import { plainContext } from '#server/wordpress/blocks/block-context';
import { silenceIn } from '#server/wordpress/blocks/invisible-content';
import { meaningOf } from '#server/wordpress/blocks/markup-meaning';
import { contentOf, type KnownSegment, readBlocks } from '#server/wordpress/blocks/read-segments';
import { keepPast, readPast } from '#server/wordpress/mirror/entry-history';
import { composedContent, planEntry } from '#server/wordpress/mirror/entry-plan';
import type { KnownEntry, MirrorTransaction } from '#server/wordpress/mirror/mirror';
import type { Section } from '#server/core/site/content';
import { type JsonValue, sameJson } from '#server/core/json';
import { isDeep } from '#tests/support/deep';
import { contents, editedFields, editSteps } from '#tests/support/section-edits';
import { createMirrorRepository } from '#server/wordpress/store/mirror-repository';
import { wordpressSites } from '#server/platform/database/schema/wordpress';
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

it('matches former with requested sections, unless they were changed unseen', async ({ db }) => {
  await db.write((tx) =>
    tx
      .insert(wordpressSites)
      .values({ ...SITE, isActive: true, abilities: {}, createdAt: 1, updatedAt: 1 })
      .run(),
  );
  const mirror = createMirrorRepository(db, SITE.id);
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
  expect(found.markup(section('One'))).toBe(`\n${paragraph('One')}\n\n\n`);
  expect(found.fields).toMatchObject({ status: 'private', title: 'Kiln &amp; <em>Co</em>' });
  expect((await pastOf(present, 'Three')).blocks).toBeNull();
  expect((await pastOf(present, 'Two', 'published')).blocks).toBeNull();

  // Ours; WordPress rewrote its JSON; then an editor gave it another colour.
  await keep(present);
  const rewritten = stateOf('Two', `${paragraph('Two').replace(':"red"', ': "red"')}\n`, 'publish');
  const same = await pastOf(rewritten, 'One');
  expect(same.markup(section('One'))).toBe(`\n${paragraph('One')}\n\n\n`);
  expect(same.blocks).not.toBeNull();
  const coloured = stateOf('Two', `${paragraph('Two', 'blue')}\n`, 'publish');
  const changed = await pastOf(coloured, 'One');
  expect([changed.blocks, changed.markup(section('One'))]).toEqual([null, undefined]);
  expect(changed.fields.status).toBe('private');

  // Then an editor added a spacer below.
  const spaced = stateOf('Two', `${paragraph('Two')}\n\n<!-- wp:spacer /-->\n`, 'publish');
  const below = await pastOf(spaced, 'One');
  expect([below.blocks, below.markup(section('One'))]).toEqual([null, `\n${paragraph('One')}\n\n\n`]);
});

it('a group that was there comes back by its id, not by a name that another one may have', async ({ db }) => {
  await db.write((tx) =>
    tx
      .insert(wordpressSites)
      .values({ ...SITE, isActive: true, abilities: {}, createdAt: 1, updatedAt: 1 })
      .run(),
  );
  const mirror = createMirrorRepository(db, SITE.id);
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

describe('editing neighbouring sections', () => {
  const idOf = () => {
    let count = 0;
    return () => `sec_${(count += 1)}`;
  };

  /** An entry's state for `keepPast` and `readPast`, of which only the content matters here. */
  const entryOf = (blocks: readonly KnownSegment[]): KnownEntry => ({ ...stateOf('', ''), blocks: [...blocks] });

  const stores = [
    ['restores the bytes of each section once its fields are as they were, in any order of undo', null],
    [
      'restores what each section said where WordPress 7.1 writes the JSON of all blocks anew',
      (raw: string) => raw.replaceAll('{}', '[]').replaceAll('1.0', '1'),
    ],
  ] as const;
  it.for(stores)('%s', async ([, writeAnew]) => {
    const said = (raw: string) => (writeAnew === null ? raw : meaningOf(raw).text);
    await fc.assert(
      fc.asyncProperty(contents, editSteps, async (drawn, steps) => {
        const raw =
          writeAnew === null
            ? drawn
            : drawn
                .replaceAll('"align":"center"', '"align":"center","style":{},"ratio":1.0')
                .replaceAll('{"height"', '{"style":{},"height"')
                .replaceAll('"waves":3', '"waves":1.0');
        const original = alignSections([], readBlocks(raw, plainContext), idOf());
        const past: JsonValue[] = [];
        const texts = new Map<string, string>();
        const store = {
          keepPast: async (_: string, known: JsonValue, more: ReadonlyMap<string, string>) => {
            past.unshift(known);
            for (const [hash, text] of more) texts.set(hash, text);
          },
          past: async () => past,
          texts: async () => texts,
        };
        let known: readonly KnownSegment[] = original;
        let sections: Section[] = original.map(({ sectionId: id, type, fields }) => ({ id, type, fields }));
        const first = sections;
        const edits: { id: string; before: Section['fields']; after: Section['fields'] }[] = [];

        const publish = async () => {
          const wanted = { document: { title: '', slug: 'a', sections }, status: 'draft', date: null } as const;
          const found = await readPast(store, 'pag_1', entryOf(known), wanted);
          const world = { past: found, context: plainContext };
          const composed = composedContent(wanted.document, known, world);
          if (composed.raw === contentOf(known)) return;
          await keepPast(store as unknown as MirrorTransaction, 'pag_1', entryOf(known));
          // Reads back what WordPress stores.
          const stored = writeAnew?.(composed.raw) ?? composed.raw;
          known = readKnown(composed.known, stored, plainContext, () => 'new');
          expect(known.map(({ sectionId, fields }) => [sectionId, fields])).toEqual(
            sections.map(({ id, fields }) => [id, fields]),
          );
          expect(said(silenceIn(composed.raw))).toBe(said(silenceIn(raw)));
          for (const [n, { fields }] of sections.entries())
            if (sameJson(fields, first[n]!.fields)) expect(said(known[n]!.raw)).toBe(said(original[n]!.raw));
        };
        const set = (id: string, fields: Section['fields']) => {
          const before = sections.find((one) => one.id === id)!.fields;
          sections = sections.map((one) => (one.id === id ? { ...one, fields } : one));
          return { id, before, after: fields };
        };

        for (const [n, step] of steps.entries()) {
          if (step.kind === 'publish') await publish();
          else if (step.kind === 'undo') {
            const open = edits.filter(({ id, after }) =>
              sameJson(sections.find((one) => one.id === id)!.fields, after),
            );
            const edit = open[step.edit % Math.max(open.length, 1)];
            if (edit !== undefined) set(edit.id, edits.splice(edits.indexOf(edit), 1)[0]!.before);
          } else {
            const chosen = sections[step.section % sections.length]!;
            const fields =
              step.kind === 'retype'
                ? first[step.section % sections.length]!.fields
                : editedFields(chosen, step.how, n);
            if (fields !== null) edits.push(set(chosen.id, fields));
          }
        }
        await publish();
        sections = first;
        await publish();
        expect(said(contentOf(known))).toBe(said(raw));
      }),
      { numRuns: isDeep ? 200 : 12 },
    );
  });
});
