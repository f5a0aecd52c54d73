import { describe, expect, it } from 'vitest';
import { plainContext } from '#server/blocks/block-context';
import { sectionsFromContent } from '#server/import/read-content';

const pictures = new Map([
  [1, { src: '/media/ast_1', alt: 'One' }],
  [3, { src: '/media/ast_3', alt: '', caption: 'Three' }],
]);

describe('sectionsFromContent', () => {
  it('reads galleries and captions of content without blocks, and says what did not come along', () => {
    const raw = `Intro

[gallery columns="2" ids="1, 2,3"]

[caption id="attachment_1" align="left"]<a href="/a.jpg"><img src="/a.jpg" alt="A" /></a> <em>Cap</em> tion[/caption]

[caption id="attachment_2" caption="Old way"]<img src="/b.jpg" alt="B" />[/caption]

<!--more-->
[contact-form to="x"]
<script>x()</script>

<form><input name="q"></form>`;
    const { segments, remarks } = sectionsFromContent(raw, { ...plainContext, picture: (id) => pictures.get(id) });
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
    expect(remarks).toEqual([
      'The mark "read more" was left out.',
      'The shortcode [contact-form] shows visitors nothing: only a plugin knows what it shows. A section says where it stood.',
      'A script was left out.',
      'A form was left out; its words stayed.',
    ]);
  });

  it('says where a gallery stood of which nobody knows the pictures', () => {
    const [segment] = sectionsFromContent('[gallery ids="1"]', plainContext).segments;
    expect(segment).toMatchObject({ type: 'html', fields: { html: '', block: '[gallery ids="1"]' } });
  });

  it('makes of each shortcode a section that shows visitors nothing, and leaves other words in brackets', () => {
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

  it('changes nothing else where a shortcode is taken out, and takes no words for one', () => {
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

  it.each(['[', '[a ', '[a /]', String.raw`\[a \]`, '[a_b c=1 ', '`[a_b] ', '[/a]'])(
    'reads 100,000 characters of %j in a moment',
    (text) => {
      const hostile = `${text.repeat(100_000 / text.length)}x`;
      const paragraph = `<!-- wp:paragraph --><p>${hostile}</p><!-- /wp:paragraph -->`;
      const columns = `<!-- wp:columns --><div><p>${hostile}</p></div><!-- /wp:columns -->`;
      const start = performance.now();
      for (const raw of [hostile, paragraph, columns]) sectionsFromContent(raw, plainContext);
      expect(performance.now() - start).toBeLessThan(5_000);
    },
  );

  it('names blocks that only WordPress fills, and pages that were parted', () => {
    const raw = '<!-- wp:nextpage -->\n<!--nextpage-->\n<!-- /wp:nextpage -->\n<!-- wp:archives /-->\n<p>[link](x)</p>';
    expect(sectionsFromContent(raw, plainContext).remarks).toEqual([
      'Page breaks were left out: the text stands on one page.',
      'The block core/archives is empty here: WordPress fills it when it shows it.',
    ]);
  });
});
