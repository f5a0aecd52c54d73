import { describe, expect, it } from 'vitest';
import { plainContext } from '#server/blocks/block-context';
import type { RemoteEntry } from '#server/wordpress/client/remote-entry';
import { type FormerEntry, hashOf, readRemote } from '#server/wordpress/remote-document';

const NOW = 1_800_000_000_000;
const paragraph = (words: string) => `<!-- wp:paragraph -->\n<p>${words}</p>\n<!-- /wp:paragraph -->\n\n`;
const remote: RemoteEntry = {
  remoteId: 3,
  type: 'page',
  status: 'publish',
  password: '',
  isSticky: false,
  builder: '',
  seo: null,
  kind: null,
  terms: {},
  custom: {},
  titleRaw: '',
  excerptRaw: '',
  tagIds: [],
  title: 'Kiln',
  slug: 'kiln',
  suggestedSlug: '',
  contentRaw: paragraph('A'),
  excerpt: '',
  parentRemoteId: null,
  featuredMedia: null,
  tags: [],
  authorId: 1,
  dateGmt: NOW,
  modifiedGmt: NOW,
  link: 'https://a.example/kiln/',
};
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
  it('keeps what only we have, and sections whose markup is the same, to the letter', () => {
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
