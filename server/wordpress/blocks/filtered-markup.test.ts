import { describe, expect, it } from 'vitest';
import { plainContext } from '#server/wordpress/blocks/block-context';
import { composeContent } from '#server/wordpress/blocks/compose-content';
import { filteredMarkup } from '#server/wordpress/blocks/filtered-markup';
import type { Section } from '#server/core/site/content';

// tests/peers/wordpress-multisite.test.ts compares the rules with a real WordPress.
describe('filteredMarkup', () => {
  it.each([
    ['<iframe src="https://a.example/"></iframe>', ['<iframe>']],
    ['<form><input/></form><script>a(1 < 2)</script>', ['<form>', '<input>', '<script>', '<']],
    ['<p onclick="a()">x</p>', ['<p onclick>']],
    ['<p style="color:red;display:none">x</p>', ['<p style>']],
    ['<a href="javascript:a()">x</a>', ['<a href>']],
    ['<!-- old: <iframe src="/x"></iframe> -->', ['<iframe>']],
    ['<!-- not closed <form>', ['<']],
    ['<!-- closed\n in its next line --><form>', ['<form>']],
    [String.raw`<!-- wp:acme/a {"deep":[{"html":"\u003cscript\u003e"}]} /-->`, ['<script>']],
  ])('names what WordPress removes of %s', (raw, parts) => {
    expect(filteredMarkup(raw)).toEqual(parts);
  });

  it.each([
    '<h2 class="a" id="b" style="color:#224466;margin-top:var(--wp--preset--spacing--20)">x &amp; y</h2>',
    '<a href="mailto:a@b.example" target="_blank" rel="noopener">x</a>',
    '<img src="https://a.example/a.png" alt="" width="3" height="3"/>',
    '<div style="background-image:url(\'https://a.example/a.png\')" data-a-b="1" aria-hidden="true"></div>',
    String.raw`<!-- wp:acme/a {"label":"\u003cem\u003ex\u003c/em\u003e"} /-->`,
    'Words without markup, 3 > 2',
  ])('finds nothing in %s', (raw) => {
    expect(filteredMarkup(raw)).toEqual([]);
  });

  it('reads each line once, no matter how many comments do not end in it', () => {
    expect(filteredMarkup(`${'<!--x>'.repeat(80_000)}\n.`)).toEqual(['<']);
  });

  it('finds nothing in sections of ours', () => {
    const sections: Section[] = [
      {
        id: 'a',
        type: 'hero',
        fields: { heading: 'A', image: '/h.png', imageAlt: 'x', ctaLabel: 'Go', ctaHref: '/go' },
      },
      {
        id: 'b',
        type: 'text',
        fields: { heading: 'B', body: '**b** [c](/d)\n\n- e\n\n| f | g |\n| - | - |\n| h | i |' },
      },
      { id: 'c', type: 'faq', fields: { items: [{ question: 'Why?', answer: 'So.' }] } },
      { id: 'd', type: 'gallery', fields: { images: [{ src: '/a.png', alt: 'A', caption: 'Bee' }] } },
    ];
    expect(filteredMarkup(composeContent(sections, [], plainContext).raw)).toEqual([]);
  });
});
