import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { plainContext } from '#server/wordpress/blocks/block-context';
import { sectionsFromContent } from '#server/import-export/read-content';

const pictures = new Map([
  [1, { src: '/media/ast_1', alt: 'One' }],
  [3, { src: '/media/ast_3', alt: '', caption: 'Three' }],
]);

describe('sectionsFromContent', () => {
  it('reads galleries and captions of content without blocks, and reports losses', () => {
    const raw = `Intro

[gallery columns="2" ids="1, 2,3"]

[caption id="attachment_1" align="left"]<a href="/a.jpg"><img src="/a.jpg" alt="A" /></a> <em>Cap</em> tion[/caption]

[caption id="attachment_2" caption="Old way"]<img src="/b.jpg" alt="B" />[/caption]

<!--more-->
[contact-form to="x"]
<script>x()</script>

<form><input name="q"></form>`;
    const { segments, remarks } = sectionsFromContent(raw, { ...plainContext, picture: (id) => pictures.get(id) });
    const reported = remarks.map(({ text }) => text);
    expect(segments.map(({ type, fields }) => ({ type, fields }))).toEqual([
      { type: 'text', fields: { body: 'Intro' } },
      {
        type: 'gallery',
        fields: {
          images: [
            { src: '/media/ast_1', alt: 'One' },
            { src: '/media/ast_3', alt: '', caption: 'Three' },
          ],
        },
      },
      { type: 'image', fields: { src: '/a.jpg', alt: 'A', caption: 'Cap tion' } },
      { type: 'image', fields: { src: '/b.jpg', alt: 'B', caption: 'Old way' } },
      { type: 'html', fields: { html: '', block: '[contact-form to="x"]' } },
    ]);
    expect(reported).toEqual([
      'The mark "read more" was left out.',
      'The shortcode [contact-form] shows visitors nothing: only a plugin knows what it shows. A section says where it stood.',
      'A script was left out.',
      'A form was left out; its words stayed.',
    ]);
  });

  it('marks the place of a gallery with unknown pictures', () => {
    const [segment] = sectionsFromContent('[gallery ids="1"]', plainContext).segments;
    expect(segment).toMatchObject({ type: 'html', fields: { html: '', block: '[gallery ids="1"]' } });
  });

  it('makes each shortcode a section that visitors do not see, and keeps other brackets', () => {
    const note = (block: string) => ({ type: 'html', fields: { html: '', block } });
    const text = (body: string) => ({ type: 'text', fields: { body } });
    const read = (raw: string) =>
      sectionsFromContent(raw, plainContext).segments.map(({ type, fields }) => ({ type, fields }));
    const paragraph = (html: string) => `<!-- wp:paragraph -->\n<p>${html}</p>\n<!-- /wp:paragraph -->\n\n`;
    expect(
      read(
        paragraph('We open [acme_hours days="Sat"] and [sic] so on.') +
          paragraph('[acme_map]') +
          paragraph('See [note] <a href="/x">[here]</a>, [box]all of it[/box].'),
      ),
    ).toEqual([
      text('We open and \\[sic] so on.'),
      note('[acme_hours days="Sat"]'),
      note('[acme_map]'),
      text('See \\[note] [\\[here\\]](/x), all of it.'),
      note('[box]'),
    ]);
    expect(read('<!-- wp:shortcode -->\n[slider id="3"]\n<!-- /wp:shortcode -->')).toEqual([note('[slider id="3"]')]);
    expect(read('Old text.\n\n[slider]\n\nMore.')).toEqual([text('Old text.'), note('[slider]'), text('More.')]);
    const columns =
      '<!-- wp:columns --><div class="c" title="[x_y]"><p>Call [tel_no] now</p></div><!-- /wp:columns -->';
    expect(read(columns)).toMatchObject([
      { type: 'html', fields: { html: expect.stringContaining('<p>Call now</p>') } },
      note('[tel_no]'),
    ]);
  });

  it('changes nothing else when a shortcode is removed, and no words are mistaken for one', () => {
    const read = (raw: string) =>
      sectionsFromContent(raw, plainContext).segments.map(({ type, fields }) => ({ type, fields }));
    const note = { type: 'html', fields: { html: '', block: '[acme_x y="1"]' } };
    const list = '<!-- wp:list --><ul><li>a<ul><li>b [acme_x y="1"] c</li></ul></li></ul><!-- /wp:list -->';
    expect(read(list)).toEqual([{ type: 'text', fields: { body: '- a\n  - b c' } }, note]);
    const table =
      '<!-- wp:table --><figure><table><tbody><tr><td>a</td><td>[acme_x y="1"]</td></tr></tbody></table></figure><!-- /wp:table -->';
    expect(read(table)).toEqual([
      { type: 'text', fields: { body: '|   |                 |\n| - | --------------- |\n| a | |' } },
      note,
    ]);
    // A backtick for feet begins no code.
    expect(read('<!-- wp:paragraph --><p>5` tall [acme_x y="1"] and 3` wide</p><!-- /wp:paragraph -->')).toContainEqual(
      note,
    );
    // The editor writes `&#91;` in code, so that it is shown.
    const code =
      '<!-- wp:code --><pre class="wp-block-code"><code>f() {\n    &#91;acme_x y="1"]\n\n    g();\n}</code></pre><!-- /wp:code -->';
    expect(read(code)).toEqual([
      { type: 'text', fields: { body: '```\nf() {\n    [acme_x y="1"]\n\n    g();\n}\n```' } },
    ]);
    for (const words of [
      'An [e-mail] on a [T-Shirt]',
      'Write [[acme_x y="1"]] there',
      'Write <code>[acme_x]</code> there',
    ])
      expect(read(`<p>${words}.</p>`), words).toMatchObject([{ type: 'text' }]);
  });

  it.each([
    ['<p>Our [hl c="y"]sale[/hl] starts today.</p>', 'Our sale starts today.'],
    ['<p>[hl c="y"]Sale[/hl] today, [hl c="y"]now[/hl]!</p>', 'Sale today, now!'],
    ['<p>a [x_y] b[x_y]c [x_y]</p>', 'a bc'],
    ['<ul><li>one [hl c="y"]two[/hl] three</li></ul>', '- one two three'],
    ['<table><tr><td>a [hl c="y"]b[/hl] c</td></tr></table>', '|       |\n| ----- |\n| a b c |'],
    ['<p>See <b>[hl]this[/hl]</b> word and [HL]that[/HL] one</p>', 'See **this** word and that one'],
  ])('keeps the spaces around shortcodes within words: %s', (html, body) => {
    const [first] = sectionsFromContent(html, plainContext).segments;
    const text = z.string().parse(first?.fields['body']);
    expect(html.includes('<table>') ? text.replaceAll(/ {2,}|-{2,}/g, '') : text).toBe(
      html.includes('<table>') ? body.replaceAll(/ {2,}|-{2,}/g, '') : body,
    );
  });

  it('removes shortcodes from headings, quotes and captions, and around elements of HTML', () => {
    const read = (html: string) => sectionsFromContent(html, plainContext).segments.map(({ fields }) => fields);
    expect(read('<h2>The [hl c="1"]big[/hl] day</h2><p>x</p>')[0]).toEqual({ heading: 'The big day', body: 'x' });
    expect(
      read(
        '<!-- wp:pullquote --><figure><blockquote><p>So [hl c="1"]very[/hl] good</p></blockquote></figure><!-- /wp:pullquote -->',
      )[0],
    ).toEqual({ quote: 'So very good' });
    expect(read('<figure><img src="/a.jpg" alt="A"/><figcaption>Made [x_y] here</figcaption></figure>')[0]).toEqual({
      src: '/a.jpg',
      alt: 'A',
      caption: 'Made here',
    });
    const html = '<!-- wp:columns --><div><p>Our [hl]<b>sale</b>[/hl] is [x_y]<i>on</i></p></div><!-- /wp:columns -->';
    expect(read(html)[0]?.['html']).toBe('<div><p>Our <b>sale</b> is <i>on</i></p></div>');
  });

  it('leaves shortcodes in code, in HTML too', () => {
    const shown = '<p>Write <code>[acme_x y="1"]</code> or</p><pre><em>[gallery]</em> [acme_x y="1"]</pre>';
    const read = sectionsFromContent(`<!-- wp:columns --><div>${shown}</div><!-- /wp:columns -->`, plainContext);
    expect(read.segments).toMatchObject([{ type: 'html', fields: { html: `<div>${shown}</div>` } }]);
  });

  it('leaves no link where a shortcode was all of it', () => {
    const read = (html: string) =>
      sectionsFromContent(html, plainContext).segments.map(({ fields }) => fields['body'] ?? fields['html']);
    const link = '<a href="/x" title="There">[acme_x y="1"]</a>';
    expect(read(`<p>See ${link} now</p>`)).toEqual(['See now', '']);
    expect(read(`<p>${link}</p>`)).toEqual(['']);
    expect(read(`<!-- wp:columns --><div><p>See ${link}</p></div><!-- /wp:columns -->`)).toEqual([
      '<div><p>See </p></div>',
      '',
    ]);
  });

  const COLOURS = 'Colours of texts or backgrounds were left out.';
  const ALIGNMENT = 'The alignment of texts or pictures was left out.';
  it.each([
    ['<p style="color:#c00">a</p>', [COLOURS]],
    ['<p>a <span style="Background-Color: yellow;">b</span></p>', [COLOURS]],
    ['<p><font color="red">a</font></p>', [COLOURS]],
    ['<table><tr bgcolor="#eeeeee"><td>a</td></tr></table>', [COLOURS]],
    [
      '<!-- wp:paragraph {"textColor":"x"} --><p class="has-x-color has-text-color">a</p><!-- /wp:paragraph -->',
      [COLOURS],
    ],
    [
      '<!-- wp:columns --><div class="has-background has-sky-gradient-background"><p>a</p></div><!-- /wp:columns -->',
      [COLOURS],
    ],
    ['<p style="text-align: right">a</p>', [ALIGNMENT]],
    ['<p align="center">a</p>', [ALIGNMENT]],
    ['<center>a</center>', [ALIGNMENT]],
    ['<p class="has-text-align-center">a</p>', [ALIGNMENT]],
    ['<h2 style="text-align:center;color:red">a</h2><p>b</p>', [COLOURS, ALIGNMENT]],
    ['<figure class="wp-block-image alignright"><img src="/a.jpg" alt="A"/></figure>', [ALIGNMENT]],
    ['<p><img class="alignleft" src="/a.jpg" alt="A"/> words around it</p>', [ALIGNMENT]],
    ['<table><tr><td style="text-align:right">1</td></tr></table>', [ALIGNMENT]],
    ['<!-- wp:columns --><div><p style="text-align:center">a</p></div><!-- /wp:columns -->', [ALIGNMENT]],
    // These are shown here as they were, or change nothing.
    ['<!-- wp:columns --><div><p class="has-text-align-center">a</p></div><!-- /wp:columns -->', []],
    ['<table><tr><td data-align="right">1</td></tr></table>', []],
    ['<figure class="wp-block-image aligncenter"><img src="/a.jpg" alt="A"/></figure>', []],
    ['<p style="color:inherit;background:none;text-align:left">a</p>', []],
    ['<p>The background color, aligned: <code>text-align:right; color:red</code></p>', []],
  ])('reports colours and alignment that are lost: %s', (html, lost) => {
    expect(sectionsFromContent(html, plainContext).remarks.map(({ text }) => text)).toEqual(lost);
  });

  it('names blocks that only WordPress fills, and pages that were parted', () => {
    const raw = '<!-- wp:nextpage -->\n<!--nextpage-->\n<!-- /wp:nextpage -->\n<!-- wp:archives /-->\n<p>[link](x)</p>';
    expect(sectionsFromContent(raw, plainContext).remarks.map(({ text }) => text)).toEqual([
      'Page breaks were left out: the text stands on one page.',
      'The block core/archives is empty here: WordPress fills it when it shows it.',
    ]);
  });
});
