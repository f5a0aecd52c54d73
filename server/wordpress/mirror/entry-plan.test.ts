import { describe, expect, it } from 'vitest';
import { plainContext } from '#server/wordpress/blocks/block-context';
import type { EntryState } from '#server/site/embedded/entry-state';
import { NO_PAST } from '#server/wordpress/mirror/entry-history';
import { keptHere, keptNote, planEntry, type PushSurroundings } from '#server/wordpress/mirror/entry-plan';
import type { KnownEntry } from '#server/wordpress/mirror/mirror';
import type { EntryDocument } from '#server/core/site/content';

const NOW = 1_800_000_000_000;
const world: PushSurroundings = {
  context: plainContext,
  now: NOW,
  parent: 7,
  cover: 9,
  past: NO_PAST,
  open: (password) => password,
};
const raw = '<!-- wp:paragraph -->\n<p>A</p>\n<!-- /wp:paragraph -->\n\n';
const document = { title: 'Kiln', slug: 'kiln' };
const section = { id: 'sec_aaaa', type: 'text' as const, fields: { body: 'A' } };
const draft: EntryDocument = { ...document, sections: [section] };
const state: EntryState = {
  draft,
  published: null,
  publishedAt: null,
  publishAt: null,
  planned: null,
  deletedAt: null,
};
const known: KnownEntry = {
  modified: NOW,
  hash: 'h',
  status: 'draft',
  slug: 'kiln',
  address: '',
  date: null,
  document,
  blocks: [{ sectionId: 'sec_aaaa', raw, type: 'text', fields: { body: 'A' } }],
};

const remoteFields = {
  status: 'draft' as const,
  password: '',
  sticky: false,
  title: '',
  excerpt: '',
  dateGmt: null,
  tagIds: [],
  parentRemoteId: null,
  featuredMedia: null,
  builder: '',
  seo: null,
};

describe('the calls that make WordPress what it has to be', () => {
  it('write the group "language" as the language of the entry where the site has Polylang', () => {
    const german = { ...state, draft: { ...draft, terms: { language: ['de'], category: ['Neues'] } } };
    const multilingual = { ...world, hasLanguages: true };
    const created = planEntry('page', german, null, multilingual).fields;
    expect(created).toMatchObject({ language: 'de', terms: { category: ['Neues'] } });
    const kept = { ...known, document: { ...document, terms: german.draft.terms } };
    expect(planEntry('page', german, kept, multilingual).fields).toBeNull();
    const english = { ...german, draft: { ...german.draft, terms: { ...german.draft.terms, language: ['en'] } } };
    expect(planEntry('page', english, kept, multilingual).fields).toEqual({ language: 'en' });
    expect(planEntry('page', german, known, world).fields).toEqual({ terms: german.draft.terms });
  });

  it('are none if WordPress is in this state already, and name only differences', () => {
    expect(planEntry('page', state, known, world).fields).toBeNull();
    const renamed = { ...state, draft: { ...draft, title: 'Oven', author: 'Nobody there', parent: 'pag_1' } };
    expect(planEntry('page', renamed, known, world).fields).toEqual({ title: 'Oven', parentRemoteId: 7 });
    expect(planEntry('post', { ...state, draft: { ...draft, tags: ['Clay'] } }, known, world).fields).toEqual({
      tags: ['Clay'],
    });
  });

  it('leave a draft of what is published to the mirror', () => {
    const published = { ...state, published: draft, publishedAt: NOW, draft: { ...draft, title: 'New' } };
    const live: KnownEntry = { ...known, status: 'published', date: NOW };
    expect(planEntry('page', published, live, world).fields).toBeNull();
  });

  it('leave changes made after a plan to the mirror: WordPress publishes its copy', () => {
    const future: KnownEntry = { ...known, status: 'planned', date: NOW + 86_400_000 };
    const changed = { ...state, draft: { ...draft, title: 'Later' }, publishAt: NOW + 86_400_000, planned: draft };
    expect(planEntry('page', changed, future, world).fields).toBeNull();
    expect(planEntry('page', { ...changed, planned: changed.draft }, future, world).fields).toEqual({ title: 'Later' });
  });

  it('publish by the clock of WordPress, and on the day that it was', () => {
    const publish = (publishedAt: number) =>
      planEntry('page', { ...state, published: draft, publishedAt }, known, world).fields;
    expect(publish(NOW)).toEqual({ status: 'publish', dateGmt: null });
    expect(publish(NOW - 86_400_000)).toEqual({ status: 'publish', dateGmt: NOW - 86_400_000 });
    const planned = planEntry('page', { ...state, publishAt: NOW + 86_400_000 }, known, world);
    expect(planned.fields).toEqual({ status: 'future', dateGmt: NOW + 86_400_000 });
  });

  it('leave the date to WordPress, which keeps that of an entry that was visible before', () => {
    const seen = (dateGmt: number): KnownEntry => ({ ...known, fields: { ...remoteFields, dateGmt } });
    const published = { ...state, published: draft, publishedAt: NOW };
    expect(planEntry('page', published, seen(NOW - 9e10), world).fields).toEqual({ status: 'publish' });
    // Left to itself, WordPress would plan it.
    expect(planEntry('page', published, seen(NOW + 9e10), world).fields).toEqual({ status: 'publish', dateGmt: null });
    const fields = { ...remoteFields, status: 'publish' as const, dateGmt: NOW - 9e10 };
    const live: KnownEntry = { ...known, status: 'published', date: NOW - 9e10, fields };
    const past = { ...NO_PAST, fields: { status: 'draft' as const, password: '', sticky: false, dateGmt: null } };
    expect(planEntry('page', state, live, { ...world, past }).fields).toEqual({ status: 'draft' });
    expect(planEntry('page', state, live, { ...world, past, isUndo: true }).fields).toEqual({
      status: 'draft',
      dateGmt: null,
    });
  });

  it('put into the trash and take out of it', () => {
    const trashed = { ...state, deletedAt: NOW };
    expect(planEntry('page', trashed, known, world)).toMatchObject({ trash: true, fields: null });
    expect(planEntry('page', trashed, { ...known, status: 'trashed' }, world).trash).toBe(false);
    const back = planEntry(
      'page',
      { ...state, published: draft, publishedAt: NOW },
      { ...known, status: 'trashed' },
      world,
    );
    expect(back).toMatchObject({ restore: 'publish', fields: { slug: 'kiln' } });
    const otherLetters = { ...known, status: 'trashed' as const, slug: '陶芸' };
    const published = { ...state, published: draft, publishedAt: NOW };
    expect(planEntry('page', published, otherLetters, world).fields).toMatchObject({ slug: '陶芸' });
    const renamed = { ...draft, slug: 'oven' };
    const moved = { ...published, draft: renamed, published: renamed };
    expect(planEntry('page', moved, otherLetters, world).fields).toMatchObject({ slug: 'oven' });
  });

  it('make what is not there, with all of it', () => {
    const plan = planEntry('page', state, null, world);
    expect(plan).toMatchObject({ create: true, fields: { title: 'Kiln', slug: 'kiln', status: 'draft' } });
    expect(plan.fields?.contentRaw).toContain('A');
    expect(planEntry('page', { ...state, deletedAt: NOW }, null, world)).toMatchObject({ create: false, fields: null });
  });

  it('give a plan back the time that it had', () => {
    const [first, second] = [NOW + 86_400_000, NOW + 2 * 86_400_000];
    const fields = { ...remoteFields, status: 'future' as const, dateGmt: second };
    const seen: KnownEntry = { ...known, status: 'planned', date: second, fields };
    const past = { ...NO_PAST, fields: { status: 'future' as const, password: '', sticky: false, dateGmt: first } };
    const back = { ...state, publishAt: first, planned: draft };
    expect(planEntry('page', back, seen, { ...world, past }).fields).toEqual({ dateGmt: first });
  });

  it('send metadata to the SEO plugin of the site, and only what changed', () => {
    const fields = { ...remoteFields, seo: { title: '%%title%%  ', description: '' } };
    const seen: KnownEntry = { ...known, document: { ...document, seo: { title: '%%title%%' } }, fields };
    const described = { ...state, draft: { ...draft, seo: { title: '%%title%%', description: 'Pots.' } } };
    expect(planEntry('page', described, seen, world).fields).toEqual({ seo: { description: 'Pots.' } });
    expect(planEntry('page', state, seen, world).fields).toEqual({ seo: { title: '' } });
    expect(planEntry('page', described, known, world).fields).toBeNull();
    const past = { ...NO_PAST, fields: { seo: fields.seo } };
    const back = planEntry(
      'page',
      { ...state, draft: { ...draft, seo: { title: '%%title%%' } } },
      { ...seen, document },
      { ...world, past },
    );
    expect(back.fields).toEqual({ seo: { title: '%%title%%  ' } });
    expect(keptHere('page', draft, described.draft, null, true)).toEqual([]);
  });

  it('report once what WordPress cannot store', () => {
    const after = {
      ...draft,
      author: 'A',
      seo: { title: 'T' },
      excerpt: 'E',
      tags: ['x'],
      image: 'https://else.where/x.png',
    };
    expect(keptHere('page', draft, after, null)).toHaveLength(5);
    const kept = keptHere('post', draft, after, 3);
    expect(kept.map(({ text }) => text)).toEqual(['the author', 'the SEO details']);
    expect(keptHere('page', after, after, null)).toEqual([]);
    expect(keptNote(kept).map(({ text }) => text)).toEqual([
      'WordPress has no place for the author and the SEO details: only kept here.',
    ]);
  });
});
