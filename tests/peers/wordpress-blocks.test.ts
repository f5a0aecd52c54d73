import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { childrenOf, wordsOf } from '#server/markup/html-tree';
import { plainContext } from '#server/wordpress/blocks/block-context';
import { readBlocks } from '#server/wordpress/blocks/read-segments';
import { composeContent } from '#server/wordpress/blocks/compose-content';
import type { Section } from '#server/core/site/content';
import { parseHtml } from '#server/markup/parse-html';
import { hasWordPress, startWordPress, type WordPressServer } from '#tests/peers/support/wordpress-server';

const sections: Omit<Section, 'id'>[] = [
  {
    type: 'hero',
    fields: {
      heading: 'Hero & <b>',
      subheading: 'Sub\nline\n\nmore',
      image: '/h.png',
      imageAlt: 'Alt "h"',
      ctaLabel: 'Go',
      ctaHref: '/go?a=1&b=2',
    },
  },
  {
    type: 'text',
    fields: {
      heading: 'Text',
      body: 'One **two** [three](/three)\\\nfour\n\n# Five\n\n- six\n  - seven\n\n3. eight\n\n> nine\n\n```js\nlet ten = "<11>";\n```\n\n| twelve | thirteen |\n| :----: | -------- |\n|    a   | b        |\n\n---',
    },
  },
  { type: 'text', fields: { body: 'Apart ![p](/p.png)' } },
  { type: 'image', fields: { src: '/i.png', alt: 'Image', caption: 'Caption --> x' } },
  {
    type: 'gallery',
    fields: {
      heading: 'Gallery',
      images: [
        { src: '/a.png', alt: 'A' },
        { src: '/b.png', alt: 'B', caption: 'Bee' },
      ],
    },
  },
  {
    type: 'features',
    fields: { heading: 'Features', intro: 'Intro', items: [{ title: 'Feature', body: 'Body\n\n\nthere' }] },
  },
  { type: 'quote', fields: { quote: 'Quote', author: 'Ada', role: 'Poet' } },
  { type: 'faq', fields: { items: [{ question: 'Why?', answer: 'So.' }] } },
  {
    type: 'call-to-action',
    fields: { heading: 'Call', body: 'Now', buttonLabel: 'Press', buttonHref: 'mailto:a@b.example' },
  },
  {
    type: 'form',
    fields: { heading: 'Form', fields: [{ label: 'Mail', kind: 'email', required: true }], submitLabel: 'Send' },
  },
  { type: 'posts-list', fields: { heading: 'Posts', count: 2, tag: 'Tea & Ü' } },
  { type: 'html', fields: { html: '<div class="wp-block-columns"><p>HTML <a href="/x?a=1&amp;b=2">x</a></p></div>' } },
];

/** Letters alone: WordPress makes quotation marks and dashes typographic. */
function words(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '');
}

describe.skipIf(!hasWordPress)('our sections in a real WordPress', () => {
  let wordpress: WordPressServer;
  beforeAll(async () => {
    wordpress = await startWordPress();
  });
  afterAll(() => wordpress[Symbol.asyncDispose]());

  it('are blocks that it writes as we do, shows with all their words, and lets everybody store', async () => {
    const { raw } = composeContent(
      sections.map((section, index) => ({ id: `sec_${index}`, ...section })),
      [],
      plainContext,
    );
    const answer = await wordpress.php(`
      $raw = base64_decode('${Buffer.from(raw).toString('base64')}');
      echo json_encode([
        'again' => serialize_blocks(parse_blocks($raw)),
        'shown' => apply_filters('the_content', $raw),
        'stored' => wp_unslash(wp_filter_post_kses(wp_slash($raw))),
      ]);
    `);
    const { again, shown, stored } = JSON.parse(answer) as Record<string, string>;
    expect(again).toBe(raw);
    for (const text of textsOf(sections.filter(({ type }) => type !== 'text').map(({ fields }) => fields))) {
      expect(
        words(
          childrenOf(parseHtml(shown ?? ''))
            .map(wordsOf)
            .join(' '),
        ),
      ).toContain(words(text));
    }
    expect(readBlocks(stored ?? '', plainContext).map(({ type, fields }) => ({ type, fields }))).toEqual(sections);
  });
});

/** Texts of fields that the page contains verbatim: no addresses, descriptions, markdown or HTML. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return fields.flatMap(([name, inner]) =>
    /^(?:src|image|alt|tag|kind|html)$|Href|Alt/.test(name) ? [] : textsOf(inner),
  );
}
