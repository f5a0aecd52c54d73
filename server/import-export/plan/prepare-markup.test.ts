import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { plainContext } from '#server/wordpress/blocks/block-context';
import { sectionsFromContent } from '#server/import-export/read-content';
import { extractDataPictures, withoutLostPictures } from '#server/import-export/plan/data-pictures';
import { prepareMarkup } from '#server/import-export/plan/prepare-markup';

const LINK = 'https://old.example/about/team/';

function read(raw: string, footnotes = '') {
  const { markup, remarks } = prepareMarkup(raw, { link: LINK, footnotes });
  const { segments } = sectionsFromContent(markup, plainContext);
  return { fields: segments.map(({ fields }) => fields), remarks: remarks.map(({ text }) => text) };
}

const bodyOf = (raw: string) => z.string().parse(read(raw).fields[0]?.['body']);

describe('markup of WordPress', () => {
  it.each([
    ['[code]\nif (a < b) {\n  x();\n}\n[/code]', '```\nif (a < b) {\n  x();\n}\n```'],
    [
      '[sourcecode language="php"]\n<?php echo "x"; ?>\n<b>y</b>\n[/sourcecode]',
      '```php\n<?php echo "x"; ?>\n<b>y</b>\n```',
    ],
    ['[css]\na {\n\n  b: c &amp; d;\n}\n[/css]', '```css\na {\n\n  b: c & d;\n}\n```'],
    [
      '<!-- wp:shortcode -->\n[python]\nfor x in y:\n    z\n[/python]\n<!-- /wp:shortcode -->',
      '```python\nfor x in y:\n    z\n```',
    ],
    ['Use [code]a<b>[/code] here.', 'Use `a<b>` here.'],
    ['A [code] that never ends', 'A \\[code] that never ends'],
  ])('keeps code in shortcodes: %j', (raw, body) => expect(bodyOf(raw)).toBe(body));

  it.each([
    ['<blockquote>One\n\nTwo\n\nThree</blockquote>\n\nEnd', '> One\n>\n> Two\n>\n> Three\n\nEnd'],
    ['Start\n\n<blockquote><p>One</p>\n\n<p>Two</p></blockquote>', 'Start\n\n> One\n>\n> Two'],
    ['A <!-- a note of the editor --> line\nand <!-- x -->more', 'A  line\\\nand more'],
    ['One<!-- x -->\n\nTwo', 'One\n\nTwo'],
  ])('keeps the paragraphs of content without blocks: %j', (raw, body) => {
    expect(bodyOf(raw).replaceAll(/ +/g, ' ')).toBe(body.replaceAll(/ +/g, ' '));
  });

  it('keeps the kinds of numbers of a list', () => {
    expect(read('<ol reversed type="a"><li>x</li></ol>').fields).toEqual([
      { html: '<ol reversed="true" type="a"><li>x</li></ol>' },
    ]);
    expect(read('<ol start="4"><li>x</li></ol>').fields).toEqual([{ body: '4. x' }]);
  });

  it('keeps superscript and subscript in headings and captions, or reports their loss', () => {
    expect(read('<h2>Per m<sup>2</sup> of CO<sub>2</sub></h2>').fields).toEqual([
      { heading: 'Per m² of CO₂', body: '' },
    ]);
    expect(read('<h2>The X<sup>Q</sup></h2>').remarks).toEqual([
      'Raised or lowered characters in a heading or caption stand as plain ones.',
    ]);
    expect(read('<table><tr><td>10<sup>3</sup></td></tr></table>').fields[0]?.['html']).toContain('10<sup>3</sup>');
  });

  it('numbers footnotes by their list, also in headings, and reports missing texts', () => {
    const mark = (id: string) => `<sup data-fn="${id}" class="fn"><a href="#${id}" id="${id}-link">9</a></sup>`;
    const notes = JSON.stringify([
      { id: 'a', content: 'First' },
      { id: 'b', content: 'See <a href="https://x.example">x</a>' },
    ]);
    const raw = `<!-- wp:heading --><h2>H${mark('b')}</h2><!-- /wp:heading --><!-- wp:paragraph --><p>T${mark('a')}, U${mark('c')}</p><!-- /wp:paragraph -->`;
    expect(read(raw, notes)).toEqual({
      fields: [{ heading: 'H²', body: 'T¹, U⁹\n\n1. First\n2. See [x](https://x.example)' }],
      remarks: ['The words of a footnote are not in the file: only its mark is here.'],
    });
  });

  it('shows pictures that plugins load late', () => {
    const gif = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
    for (const attributes of [
      `src="${gif}" data-src="/a.jpg"`,
      'data-lazy-src="/a.jpg"',
      'src="" data-original="/a.jpg"',
    ])
      expect(read(`<img ${attributes} alt="A">`).fields).toEqual([{ src: '/a.jpg', alt: 'A' }]);
    expect(read('Text <img src="data:image/svg+xml,%3Csvg/%3E" alt="A">')).toMatchObject({
      fields: [{ body: 'Text' }],
      remarks: [expect.stringMatching(/written into the page itself/)],
    });
  });

  it('resolves relative addresses as on the page', () => {
    expect(bodyOf('<a href="../x/">a</a> <a href="y.html#z">b</a> <a href="/c">c</a> <a href="tel:1">d</a>')).toBe(
      '[a](https://old.example/about/x/) [b](https://old.example/about/team/y.html#z) [c](/c) [d](tel:1)',
    );
  });

  it('takes the same picture once, and drops one that was not taken', () => {
    const image = (bytes: string) => `<img src="data:image/png;base64,${bytes}" alt="x">`;
    const { text, pictures } = extractDataPictures(`${image('AAAA')} ${image('AAAA')} ${image('BBBB')}`);
    expect([...pictures.values()]).toEqual(['AAAA', 'BBBB']);
    const [first = ''] = pictures.keys();
    expect(withoutLostPictures(text, (address) => address === first).match(/<img/g)).toHaveLength(2);
  });
});
