import { describe, expect, it } from 'vitest';
import { validateEntry } from '#server/content/entry-links';
import type { Entry, EntryDocument } from '#server/core/content';
import { testEntry } from '#tests/support/test-entry';

function page(id: string, draft: Partial<EntryDocument>, isPublished = true): Entry {
  const document = { title: id, slug: id, excerpt: 'About it.', sections: [], ...draft };
  return testEntry(id, document, { published: isPublished ? document : null });
}

async function issuesOf(entry: Entry, others: readonly Entry[] = []) {
  const issues = await validateEntry(entry, {
    entries: [entry, ...others],
    homeSlug: 'home',
    redirects: [{ from: '/was', targetId: 'there' }],
    leadsOn: [{ from: '/promo', to: 'https://else.example/' }],
    hasAsset: async (id) => id === 'ast_there',
  });
  return issues.map(({ path, message, severity }) => `${severity} ${path}: ${message}`);
}

const text = (body: string) => ({ id: 'sec_1', type: 'text' as const, fields: { body } });

describe('validateEntry', () => {
  it('has nothing to say of a page that is in order', async () => {
    const sections = [
      text(
        '[a](/there#x) [b](/blog) [c](https://example.org/x) [d](#top) [p](/promo) ![A kiln](/media/ast_there/k.jpg) [e](/a.pdf)',
      ),
    ];
    expect(await issuesOf(page('mine', { sections }), [page('there', {})])).toEqual([]);
  });

  it('names dead links, old addresses, and links to what visitors do not see', async () => {
    const sections = [text('[a](/nowhere) [b](/was) [c](/hidden) ![x](/media/ast_gone/x.jpg)')];
    expect(await issuesOf(page('mine', { sections }), [page('there', {}), page('hidden', {}, false)])).toEqual([
      'warning sections[0].fields.body: /nowhere leads nowhere.',
      'warning sections[0].fields.body: /was is an old address; it is /there now.',
      'warning sections[0].fields.body: /hidden leads to something that is not published.',
      'warning sections[0].fields.body: /media/ast_gone/x.jpg was taken out of the media library.',
    ]);
  });

  it('names texts that hold more markup than can be shown', async () => {
    const deep = { id: 'sec_2', type: 'html' as const, fields: { html: '<div>'.repeat(201) } };
    const issues = await issuesOf(page('mine', { sections: [text('*a_ '.repeat(12_000)), deep, text('fine')] }));
    expect(issues).toEqual([
      expect.stringMatching(/^warning sections\[0\]: It holds more markup than can be shown/),
      expect.stringMatching(/^warning sections\[1\]: It holds more markup than can be shown/),
    ]);
  });

  it('names what is missing: descriptions, texts and contents', async () => {
    const sections = [
      { id: 'sec_1', type: 'hero' as const, fields: { heading: 'Hi', image: '/images/a.svg' } },
      { id: 'sec_2', type: 'gallery' as const, fields: { images: [{ src: '/b.png', alt: ' ' }] } },
      { id: 'sec_3', type: 'faq' as const, fields: { items: [] } },
      text('  '),
    ];
    expect(await issuesOf(page('mine', { excerpt: '', sections }))).toEqual([
      'warning excerpt: There is neither an excerpt nor a description for search engines.',
      'warning sections[2]: The faq section is empty.',
      'warning sections[3]: The text section is empty.',
      'warning sections[0].fields.image: The picture /images/a.svg has no description.',
      'warning sections[1].fields.images[0].src: The picture /b.png has no description.',
    ]);
    expect(await issuesOf(page('mine', { excerpt: '', seo: { noIndex: true } }))).toEqual([
      'warning sections: There are no sections.',
    ]);
  });

  it('names a page above that is not there, and a slug that is taken', async () => {
    const mine = page('mine', { slug: 'there', parent: 'gone', sections: [text('x')] }, false);
    expect(await issuesOf(mine, [page('there', {})])).toEqual([
      'error slug: there is still published by "there" (there).',
      'warning parent: The page above was deleted.',
    ]);
    const below = page('mine', { parent: 'hidden', sections: [text('x')] });
    expect(await issuesOf(below, [page('hidden', {}, false)])).toEqual([
      'warning parent: The page above, "hidden", is not published.',
    ]);
  });
});
