import { remoteEntry } from '#tests/support/remote-entry';
import { describe, expect, it } from 'vitest';
import { plainContext } from '#server/wordpress/blocks/block-context';
import type { RemoteEntry } from '#server/wordpress/client/remote-entry';
import {
  absorbed,
  type FormerEntry,
  hashOf,
  readRemote,
  type RemoteState,
} from '#server/wordpress/mirror/remote-document';
import type { EntryState } from '#server/site/embedded/entry-state';
import type { EntryDocument } from '#server/core/site/content';

const NOW = 1_800_000_000_000;
const paragraph = (words: string) => `<!-- wp:paragraph -->\n<p>${words}</p>\n<!-- /wp:paragraph -->\n\n`;
const remote = remoteEntry({
  remoteId: 3,
  type: 'page',
  title: 'Kiln',
  slug: 'kiln',
  contentRaw: paragraph('A'),
  dateGmt: NOW,
  modifiedGmt: NOW,
  link: 'https://a.example/kiln/',
});
let made = 0;
const world = {
  context: plainContext,
  parent: undefined,
  cover: undefined,
  newSectionId: () => `sec_new${(made += 1)}`,
  secrets: { seal: (password: string) => password, open: (password: string) => password },
};
const read = (given: Partial<RemoteEntry>, former: FormerEntry | null = null) =>
  readRemote({ ...remote, ...given }, former, world);

describe('an entry of WordPress as ours', () => {
  it('keeps our fields, and sections with equal markup, exactly', () => {
    const former: FormerEntry = {
      slug: 'kiln',
      document: {
        title: 'Kiln',
        slug: 'kiln',
        author: 'A',
        excerpt: 'E',
        tags: ['x'],
        image: 'https://else.where/x.png',
      },
      blocks: [{ sectionId: 'sec_aaaa', raw: remote.contentRaw, type: 'text', fields: { heading: 'As we had it' } }],
    };
    const { state, known } = read({ title: 'Oven' }, former);
    expect(state.document).toEqual({
      ...former.document,
      title: 'Oven',
      sections: [{ id: 'sec_aaaa', type: 'text', fields: { heading: 'As we had it' } }],
    });
    expect(known.blocks).toEqual(former.blocks);
  });

  it('gets a slug that we can have, and keeps it while WordPress keeps its own', () => {
    expect(read({ slug: 'größe_2' }).state.document.slug).toBe('grosse-2');
    expect(read({ slug: '', suggestedSlug: 'from-title' }).state.document.slug).toBe('from-title');
    expect(read({ slug: '', title: '' }).state.document).toMatchObject({ title: '(no title)', slug: 'page-3' });
    const former = { slug: 'größe_2', document: { title: 'Kiln', slug: 'ours' }, blocks: [] };
    expect(read({ slug: 'größe_2' }, former).state.document.slug).toBe('ours');
  });

  it('is published where visitors see it, be it with a password', () => {
    const statuses = [
      {},
      { password: 'x' },
      { status: 'private' },
      { status: 'pending' },
      { status: 'future' },
    ] as const;
    expect(statuses.map((given) => read(given).state.status)).toEqual([
      'published',
      'published',
      'draft',
      'draft',
      'planned',
    ]);
  });

  it('is the same where only its time, or the slug of what is in the trash, differs', () => {
    expect(hashOf({ ...remote, modifiedGmt: 1, authorId: 2 })).toBe(hashOf(remote));
    expect(hashOf({ ...remote, contentRaw: '' })).not.toBe(hashOf(remote));
    const trashed = { ...remote, status: 'trash' } as const;
    expect(hashOf({ ...trashed, slug: 'x' })).toBe(hashOf(trashed));
  });
});

const text = (id: string, body: string) => ({ id, type: 'text' as const, fields: { body } });
const base: EntryDocument = { title: 'Kiln', slug: 'kiln', sections: [text('sec_aaaa', 'A'), text('sec_bbbb', 'B')] };
const published: EntryState = {
  draft: base,
  published: base,
  publishedAt: NOW,
  publishAt: null,
  planned: null,
  deletedAt: null,
};
const remoteState = (document: EntryDocument, rest: Partial<RemoteState> = {}): RemoteState => ({
  document,
  status: 'published',
  date: NOW,
  ...rest,
});

describe('differing states in WordPress', () => {
  it('is the draft too, where that was as published', () => {
    const theirs = { ...base, title: 'Oven' };
    expect(absorbed(published, base, remoteState(theirs), NOW)).toEqual({
      ...published,
      draft: theirs,
      published: theirs,
    });
  });

  it('is merged into our draft if it does not overlap, and is published in any case', () => {
    const draft = { ...base, title: 'Ours', sections: [text('sec_aaaa', 'Ours'), base.sections[1]!] };
    const sections = [text('sec_aaaa', 'Theirs'), text('sec_bbbb', 'Theirs'), text('sec_cccc', 'New')];
    const theirs = { ...base, sections };
    const after = absorbed({ ...published, draft }, base, remoteState(theirs), NOW);
    expect(after.published).toEqual(theirs);
    expect(after.draft).toEqual({
      ...draft,
      sections: [text('sec_aaaa', 'Ours'), text('sec_bbbb', 'Theirs'), text('sec_cccc', 'New')],
    });
  });

  it('keeps our content while it is in the trash, and is restored with its content there', () => {
    const trashed = absorbed(
      published,
      base,
      remoteState({ ...base, slug: 'x' }, { status: 'trashed', date: null }),
      NOW,
    );
    expect(trashed).toEqual({ ...published, deletedAt: NOW });
    const back = absorbed(trashed, base, remoteState(base, { status: 'draft', date: null }), NOW);
    expect(back).toEqual({ ...published, published: null, publishedAt: null });
  });

  it('keeps our times where they are the same but for two clocks', () => {
    const planned = { ...published, published: null, publishedAt: null, publishAt: NOW + 500 };
    const at = (date: number) => absorbed(planned, base, remoteState(base, { status: 'planned', date }), NOW).publishAt;
    expect(at(NOW)).toBe(NOW + 500);
    expect(at(NOW + 120_000)).toBe(NOW + 120_000);
    // Of what visitors see already, WordPress knows no plan.
    expect(absorbed({ ...published, publishAt: NOW + 9 }, base, remoteState(base), NOW).publishAt).toBe(NOW + 9);
  });

  it('keeps the plan unchanged, with the changes from there merged', () => {
    const planned = { ...base, title: 'Planned' };
    const state = { ...published, draft: { ...base, title: 'Later' }, publishAt: NOW + 9, planned };
    const there = { ...base, slug: 'theirs' };
    expect(absorbed(state, base, remoteState(there), NOW)).toMatchObject({
      draft: { title: 'Later', slug: 'theirs' },
      publishAt: NOW + 9,
      planned: { title: 'Planned', slug: 'theirs' },
    });
    const future = { ...state, published: null, publishedAt: null };
    expect(absorbed(future, planned, remoteState(planned, { status: 'planned', date: NOW + 9 }), NOW)).toEqual(future);
    expect(absorbed(future, planned, remoteState(planned, { date: NOW + 9 }), NOW + 10)).toMatchObject({
      draft: { title: 'Later' },
      published: { title: 'Planned' },
      publishAt: null,
      planned: null,
    });
  });

  it('contains everything that the mirror lacked', () => {
    const after = absorbed(null, null, remoteState(base, { status: 'draft', date: null }), NOW);
    expect(after).toEqual({
      draft: base,
      published: null,
      publishedAt: null,
      publishAt: null,
      planned: null,
      deletedAt: null,
    });
  });
});
