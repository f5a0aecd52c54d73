import { describe, expect, it } from 'vitest';
import { copiedPictures, pictureFile } from '#components/editor/rich-text/pasted-pictures.ts';
import { cleanPaste } from '#components/editor/rich-text/clean-paste.ts';
import { expectGrowthBelow, NEARLY_LINEAR } from '#tests/support/growth';

const item = (level: number, mark: string, text: string) =>
  `<p class=MsoListParagraph style='text-indent:-18pt;mso-list:l0 level${level} lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>${mark}<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>${text}<o:p></o:p></p>`;

describe('cleanPaste', () => {
  it.each([
    ['<p style="color:red" class="x" onclick="y()">One</p>', '<p>One</p>'],
    ['<b style="font-weight:normal"><p><span style="font-weight:700">a</span></p></b>', '<p><strong>a</strong></p>'],
    ['<p><span style="font-style: italic">a</span><i>b</i></p>', '<p><em>a</em><em>b</em></p>'],
    ['<b style="mso-bidi-font-weight:normal">a</b>', '<strong>a</strong>'],
    ['<style>p{}</style><script>x()</script><p>a</p><!-- c -->', '<p>a</p>'],
    [
      '<p>a</p><img src="https://e.example/x.png" onerror="y()"><img src="/media/1" alt="b">',
      '<p>a</p><img src="/media/1" alt="b"/>',
    ],
    [
      '<figure><img src="/media/1" alt="b"><figcaption>The <b>kiln</b></figcaption></figure>',
      '<p><img src="/media/1" alt="b" title="The kiln"/></p>',
    ],
    [
      '<p><span data-picture=""><img src="/media/1" alt="b" title="The kiln"><span data-caption="">The kiln</span></span></p>',
      '<p><img src="/media/1" alt="b" title="The kiln"/></p>',
    ],
    ['<figure><img src="https://e.example/x.png"><figcaption>Kiln</figcaption></figure>', '<div><div>Kiln</div></div>'],
    ['<a href="javascript:x()">a</a><a href="https://e.example">b</a>', 'a<a href="https://e.example">b</a>'],
    ['<p>a&nbsp;&nbsp; b</p><p>&nbsp;</p>', '<p>a b</p>'],
    ['<ul><li><p>a</p></li></ul>', '<ul><li><p>a</p></li></ul>'],
    ['<p data-pm-slice="1 1 []">a</p>', '<p data-pm-slice="1 1 []">a</p>'],
    ['<pre data-markdown=""><code>| a |\n| - |</code></pre>', '<pre data-markdown="">| a |\n| - |</pre>'],
  ])('%s', (html, clean) => expect(cleanPaste(html).html).toBe(clean));

  it.each([
    [
      `<h1>Head</h1><p class=MsoNormal>Text<span class=MsoCommentReference><a class=msocomanchor id="_anchor_1" href="#_msocom_1">[AB1]</a></span> end<o:p></o:p></p><div style='mso-element:comment-list'><hr class=msocomoff><div style='mso-element:comment'><div id="_com_1" class=msocomtxt><p class=MsoCommentText>Please check this price</p></div></div></div>`,
      '<h1>Head</h1><p>Text end</p>',
    ],
    [
      '<p>A<sup><a href="#cmnt1" id="cmnt_ref1">[a]</a></sup> b</p><div><p><a href="#cmnt_ref1" id="cmnt1">[a]</a><span>Please check</span></p></div>',
      '<p>A b</p>',
    ],
    [
      '<p>a<s>b</s><span style="text-decoration:underline line-through">c</span><strike>d</strike></p>',
      '<p>a<s>b</s><s>c</s><s>d</s></p>',
    ],
    [
      '<p>m<sup>2</sup>, H<span style="vertical-align:sub">2</span>O, 1<span style="font-size:8pt;vertical-align:super">st</span>, x<sup>Q</sup></p>',
      '<p>m², H₂O, 1ˢᵗ, xQ</p>',
    ],
    ['<ol start="4"><li>a</li></ol><ol><li>b</li></ol>', '<ol start="4"><li>a</li></ol><ol><li>b</li></ol>'],
    [
      `${item(1, '3.', 'Three')}${item(1, '4.', 'Four')}`,
      '<ol start="3"><li><p>Three</p></li><li><p>Four</p></li></ol>',
    ],
    [
      '<p>Run <span style="font-family:Consolas,monospace">npm  test</span> or <kbd>x</kbd></p>',
      '<p>Run <code>npm  test</code> or <code>x</code></p>',
    ],
    [
      '<a href="https://www.google.com/url?q=https://x.example/a%3Fb%3D1&amp;sa=D&amp;source=editors">x</a>',
      '<a href="https://x.example/a?b=1">x</a>',
    ],
    [
      '<a href="https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fx.example%2F&amp;data=1">x</a>',
      '<a href="https://x.example/">x</a>',
    ],
    [
      '<a href="https://www.google.com/url?q=javascript:x()">x</a>',
      '<a href="https://www.google.com/url?q=javascript:x()">x</a>',
    ],
    ['<p>See <a href="#x">[a]</a></p>', '<p>See <a href="#x">[a]</a></p>'],
  ])('keeps what was written in Word and Google Docs, without comments: %s', (html, clean) => {
    expect(cleanPaste(html).html).toBe(clean);
  });

  it.each([
    [
      'Excel',
      `<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><style>td{color:red}</style></head><body><table border=0><!--StartFragment--><col width=64><tr height=20><td class=xl65>Day</td><td>Price</td></tr><tr><td>Fri<br style='mso-data-placement:same-cell'>Sat</td><td align=right x:num>20</td></tr><!--EndFragment--></table></body></html>`,
      '<table><tr><th>Day</th><th align="right">Price</th></tr><tr><td>Fri Sat</td><td align="right">20</td></tr></table>',
      ['cellLines'],
    ],
    [
      'Word',
      `<table class=MsoTableGrid><tr><td colspan=2 valign=top><p class=MsoNormal align=center style='text-align:center'><b>Days<o:p></o:p></b></p></td></tr><tr><td><p class=MsoNormal>Fri<o:p></o:p></p></td><td><p class=MsoNormal>20<o:p></o:p></p></td></tr></table>`,
      '<table><tr><th><strong>Days</strong></th><th></th></tr><tr><td>Fri</td><td>20</td></tr></table>',
      ['mergedCells'],
    ],
    [
      'Google Docs',
      `<b style="font-weight:normal" id="docs-internal-guid-1"><div dir="ltr"><table><colgroup><col/><col/></colgroup><tbody><tr><td><p dir="ltr"><span style="font-weight:700">Day</span></p></td><td><p dir="ltr">Price</p></td></tr><tr><td><p>Fri</p><p>Sat</p></td><td><p style="text-align:right"><a href="https://www.google.com/url?q=https://x.example/">20</a></p></td></tr></tbody></table></div></b>`,
      '<div><table><tr><th><strong>Day</strong></th><th align="right">Price</th></tr><tr><td>Fri Sat</td><td align="right"><a href="https://x.example/">20</a></td></tr></table></div>',
      ['cellLines'],
    ],
    [
      'an e-mail, whose tables only arrange it',
      '<table><tr><td><table><tr><td>a</td></tr></table></td></tr></table>',
      '<div><div><div><div><div><div>a</div></div></div></div></div></div>',
      [],
    ],
  ])('pastes tables of %s, and reports what it simplified', (_, html, clean, simplified) => {
    expect(cleanPaste(html)).toEqual({ html: clean, simplified });
  });

  it('finds the pictures of a copied document, and shows those that were uploaded', () => {
    const pixel = 'data:image/png;base64,iVBORw0KGgo=';
    const docs = 'https://lh7-rt.googleusercontent.com/docsz/AD_4nXe?key=1';
    const html = `<p>a<img src="${pixel}" alt="b"></p><img src="${docs}"><img src="${docs}"><img src="https://e.example/x.png">`;
    const { found, missing } = copiedPictures(html);
    expect([[...found], missing]).toEqual([
      [
        [pixel, pixel],
        [docs, docs],
      ],
      0,
    ]);
    expect(copiedPictures('<img src="data:image/svg+xml;base64,PHN2Zz4=">').found.size).toBe(0);
    expect(cleanPaste(html, new Map([[pixel, '/media/1']])).html).toBe('<p>a<img src="/media/1" alt="b"/></p>');
    expect(pictureFile(pixel)).toMatchObject({ name: 'pasted.png', type: 'image/png', size: 8 });
  });

  /** Pictures as Word writes them: first for new programs, then for old ones as a metafile. */
  const rtf = (...pictures: readonly string[]) =>
    String.raw`{\rtf1 Text ${pictures.join(' and ')} {\nonshppict{\pict\wmetafile8\picw10 0100090000}}}`;
  const inRtf = (kind: string, hex: string) =>
    String.raw`{\*\shppict{\pict{\*\picprop{\sp{\sn pictureGray}{\sv 0}}}\picw529\pich529${kind}\bliptag-74591{\*\blipuid 0a1b2c3d}${hex}}}`;
  const wordHtml = (...names: readonly string[]) =>
    names
      .map((name) => `<p><img width=31 src="file:///C:/Temp/msohtmlclip1/01/${name}" v:shapes="_x0000_i1026"></p>`)
      .join('');

  it("reads Word's pictures, whose HTML has only paths, from the RTF of the clipboard", async () => {
    const { found, missing } = copiedPictures(
      wordHtml('clip_image001.png', 'clip_image002.jpg'),
      rtf(inRtf('\\pngblip', '89504e47\r\n0d0a1a0a'), inRtf('\\jpegblip', 'FFD8FF')),
    );
    expect(missing).toBe(0);
    const files = [...found.values()].map((file) => file as File);
    expect(files.map(({ type }) => type)).toEqual(['image/png', 'image/jpeg']);
    expect(await Promise.all(files.map(async (file) => [...new Uint8Array(await file.arrayBuffer())]))).toEqual([
      [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
      [0xff, 0xd8, 0xff],
    ]);
  });

  it.each([
    ['no RTF', wordHtml('a.png', 'b.png', 'a.png'), '', 2],
    ['another number of pictures in it', wordHtml('a.png', 'b.png'), rtf(inRtf('\\pngblip', '89504e47')), 2],
    ['a picture of a mail', '<p>Hello<img src="cid:image001.png@01DB"></p>', '', 1],
    ['a picture of an app', '<img src="blob:https://docs.example/1"><img src="webkit-fake-url://1/image.tiff">', '', 2],
    ['a picture of a page', '<p>Hello<img src="https://e.example/x.png"></p>', '', 0],
  ])('counts the pictures that were not copied, with %s', (_, html, text, missing) => {
    expect(copiedPictures(html, text)).toEqual({ found: new Map(), missing });
  });

  it.each(['\\pngblip', '\\pngblip{', '\\pngblip\\a ', '{\\pict\\pngblip 00 '])(
    'reads 300,000 characters of %j in time that grows with their number',
    (text) =>
      expectGrowthBelow(
        NEARLY_LINEAR,
        text.repeat(300_000 / text.length),
        (each) => void copiedPictures(wordHtml('a.png'), each),
      ),
  );

  it('makes lists of the paragraphs that Word writes for them', () => {
    const word = [item(1, '·', 'Friday'), item(2, 'o', 'late'), item(1, '·', 'Sunday'), item(1, '1.', 'First')];
    expect(cleanPaste(`<html><body>${word.join('\n')}<p class=MsoNormal>End</p></body></html>`).html).toBe(
      '<ul><li><p>Friday</p><ul><li><p>late</p></li></ul></li><li><p>Sunday</p></li></ul><ol><li><p>First</p></li></ol><p>End</p>',
    );
  });

  it('returns the text of HTML that is too long to parse', () => {
    expect(cleanPaste(`${'<div>'.repeat(500)}Hello`).html).toContain('Hello');
  });
});
