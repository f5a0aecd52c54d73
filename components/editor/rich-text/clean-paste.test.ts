import { describe, expect, it } from 'vitest';
import { cleanPaste } from '#components/editor/rich-text/clean-paste';

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
    ['<a href="javascript:x()">a</a><a href="https://e.example">b</a>', 'a<a href="https://e.example">b</a>'],
    ['<p>a&nbsp;&nbsp; b</p><p>&nbsp;</p>', '<p>a b</p>'],
    ['<table><tr><td>a</td><td>b</td></tr></table>', '<div><div><div>a</div><div>b</div></div></div>'],
    ['<ul><li><p>a</p></li></ul>', '<ul><li><p>a</p></li></ul>'],
    ['<p data-pm-slice="1 1 []">a</p>', '<p data-pm-slice="1 1 []">a</p>'],
    ['<pre data-markdown=""><code>| a |\n| - |</code></pre>', '<pre data-markdown="">| a |\n| - |</pre>'],
  ])('%s', (html, clean) => expect(cleanPaste(html)).toBe(clean));

  it('makes lists of the paragraphs that Word writes for them', () => {
    const word = [item(1, '·', 'Friday'), item(2, 'o', 'late'), item(1, '·', 'Sunday'), item(1, '1.', 'First')];
    expect(cleanPaste(`<html><body>${word.join('\n')}<p class=MsoNormal>End</p></body></html>`)).toBe(
      '<ul><li><p>Friday</p><ul><li><p>late</p></li></ul></li><li><p>Sunday</p></li></ul><ol><li><p>First</p></li></ol><p>End</p>',
    );
  });

  it('gives the words of HTML that is too much to read', () => {
    expect(cleanPaste(`${'<div>'.repeat(500)}Hello`)).toContain('Hello');
  });
});
