import { describe, expect, it } from 'vitest';
import { markdownToHtml, safeHtml } from '#components/content/text/safe-html.ts';
import { translator } from '#components/i18n.ts';
import fc from 'fast-check';

const t = translator('draftPreview');

const safe = (html: string) => safeHtml(html, '/preview');

describe('safeHtml', () => {
  it.each([
    ['<script>alert(1)</script>', ''],
    ['<p onclick="x()" style="color:red" id="site" name="n">a</p>', '<p>a</p>'],
    ['<a href="javascript:alert(1)">a</a>', '<a>a</a>'],
    ['<a href=" java\tscript:alert(1)">a</a>', '<a>a</a>'],
    ['<img src="data:image/svg+xml,x" alt="a">', '<img alt="a" loading="lazy">'],
    ['<img src="x" srcset="javascript:x 2x" onerror="x()">', '<img src="x" loading="lazy">'],
    ['<iframe src="https://a.example"></iframe><style>p{}</style><svg><a href="x">y</a></svg>', ''],
    ['<form action="https://a.example"><input name="q"><button>Go</button></form>', 'Go'],
    ['<math><mtext><img src onerror=x></mtext></math>', ''],
    ['<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>', ''],
    ['<div class="site-button wp-block-columns">a</div>', '<div class="wp-block-columns">a</div>'],
    ['<!-- wp:html --><p>a</p>', '<p>a</p>'],
  ])('%s', (html, expected) => {
    expect(safe(html)).toBe(expected);
  });

  it('leads links of the site below its root, leaves others, and keeps one title a page', () => {
    expect(safe('<h1>T</h1><a href="/pricing">p</a><a href="https://a.example">x</a><a href="/media/1">m</a>')).toBe(
      '<h2>T</h2><a href="/preview/pricing">p</a><a href="https://a.example">x</a><a href="/media/1">m</a>',
    );
  });

  it('lets wide tables scroll and keeps their spans', () => {
    expect(safe('<table><tr><td colspan="2">a</td></tr></table>')).toBe(
      '<div class="site-table"><table><tbody><tr><td colspan="2">a</td></tr></tbody></table></div>',
    );
  });

  it.each([
    ['deep', '<div>'.repeat(30_000)],
    ['deep, with end tags of other elements', '<div></b>'.repeat(20_000)],
    ['deep, of elements that seem to close', '<p><object>'.repeat(15_000)],
  ])('shows the words of markup that is too %s', (_, start) => {
    const html = safe(`${start}Hello <script>`);
    expect(html).toContain('Hello');
    expect(html).not.toContain('<script');
  });

  it('tells the editor, not the visitors, of markup that is shown as words', () => {
    const html = `${'<div>'.repeat(300)}Hello`;
    expect(safeHtml(html, '/preview')).toContain(t('tooHeavy'));
    expect(safeHtml(html, '/site')).not.toContain(t('tooHeavy'));
  });
});

const rendered = (markdown: string) => markdownToHtml(markdown, '/site');

describe('markdownToHtml', () => {
  it('renders tables, lists and emphasis', () => {
    expect(rendered('| a |\n| - |\n| **b** |')).toContain('<td><strong>b</strong></td>');
    expect(rendered('- one')).toContain('<li>one</li>');
  });

  it('prefixes internal links and lowers headings', () => {
    expect(rendered('[x](/pricing?a=1&b=2)')).toContain('<a href="/site/pricing?a=1&amp;b=2"');
    expect(rendered('# Big')).toBe('<h3>Big</h3>');
  });

  it('shows the title of a picture that is a paragraph of its own as its caption', () => {
    expect(rendered('![Kiln](/media/1 "The \\"big\\" <kiln>")')).toBe(
      '<figure><img loading="lazy" src="/media/1" alt="Kiln" /><figcaption>The &quot;big&quot; &lt;kiln&gt;</figcaption></figure>',
    );
    expect(rendered('[![Kiln](/media/1 "May")](/about)')).toBe(
      '<figure><a href="/site/about"><img loading="lazy" src="/media/1" alt="Kiln" /></a><figcaption>May</figcaption></figure>',
    );
    expect(rendered('Our ![Kiln](/media/1 "The kiln")')).not.toContain('<figcaption>');
  });

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    'a <b onclick="x">b</b>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](java&#x0A;script:alert(1))',
    '![x](javascript:alert(1))',
    '![x](data:text/html,<script>)',
    '<javascript:alert(1)>',
    '[x](/a"onmouseover="alert(1))',
    '[x](</a" onmouseover="alert(1)>)',
    '[x]\n\n[x]: javascript:alert(1)',
    'text <a href="/x" onclick="y">',
    '[^1]\n\n[^1]: <svg onload=alert(1)>',
  ])('makes %j harmless', (markdown) => {
    const tags = rendered(markdown).match(/<[a-z][^>]*>/gi) ?? [];
    for (const tag of tags) {
      expect(tag).not.toMatch(/^<(script|svg|b|iframe|object)\b/i);
      expect(tag.replace(/"[^"]*"/g, '""')).not.toMatch(/\son\w+=/i);
      expect(tag).not.toMatch(/(href|src)="\s*(javascript|data|vbscript):/i);
    }
  });

  it('writes no tag that Markdown does not have, for any text', () => {
    const hostile = fc.array(
      fc.constantFrom(
        '<',
        '>',
        '"',
        '&',
        '[',
        '](',
        ')',
        '/',
        'javascript:',
        'on=',
        '`',
        '\n',
        'a',
        '!',
        '![a](/b "',
        '&quot;',
        '&#34;',
      ),
    );
    fc.assert(
      fc.property(hostile, (parts) => {
        const tags = rendered(parts.join('')).match(/<[a-z][^>]*>/gi) ?? [];
        for (const tag of tags)
          expect(tag.replace(/"[^"]*"/g, '""')).toMatch(
            /^<(p|a|img|figure|figcaption|code|pre|br|blockquote|h\d|li|ul|ol|em|strong|hr)( [a-z-]+="")*( \/)?>$/,
          );
      }),
      { numRuns: 500 },
    );
  });

  it('shows a text that is too expensive to parse as source, and informs the editor', () => {
    const text = `${'*a_ '.repeat(12_000)}\n\n<b>`;
    const shown = markdownToHtml(text, '/preview');
    expect(shown).toContain(t('tooHeavy'));
    expect(shown).toContain('<p>*a_ *a_');
    expect(shown).toContain('<p>&lt;b&gt;</p>');
    expect(markdownToHtml(text, '/site')).not.toContain(t('tooHeavy'));
  });
});
