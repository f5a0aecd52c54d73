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
      { type: 'text', fields: { body: '\\[contact-form to="x"]' } },
    ]);
    expect(remarks).toEqual([
      'The mark "read more" was left out.',
      'The shortcode [contact-form] stays as words: only a plugin knows what it shows.',
      'A script was left out.',
      'A form was left out; its words stayed.',
    ]);
  });

  it('leaves a gallery as words where nobody knows its pictures', () => {
    const [segment] = sectionsFromContent('[gallery ids="1"]', plainContext).segments;
    expect(segment).toMatchObject({ type: 'text', fields: { body: '\\[gallery ids="1"]' } });
  });

  it('names blocks that only WordPress fills, and pages that were parted', () => {
    const raw = '<!-- wp:nextpage -->\n<!--nextpage-->\n<!-- /wp:nextpage -->\n<!-- wp:archives /-->\n<p>[link](x)</p>';
    expect(sectionsFromContent(raw, plainContext).remarks).toEqual([
      'Page breaks were left out: the text stands on one page.',
      'The block core/archives is empty here: WordPress fills it when it shows it.',
    ]);
  });
});
