import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownToHtml } from '#components/content/text/safe-html';
import { editorStrings } from '#components/content/text/words';

const html = (markdown: string) => markdownToHtml(markdown, '/site');

describe('markdownToHtml', () => {
  it('renders tables, lists and emphasis', () => {
    expect(html('| a |\n| - |\n| **b** |')).toContain('<td><strong>b</strong></td>');
    expect(html('- one')).toContain('<li>one</li>');
  });

  it('leads links into the site and lowers headings', () => {
    expect(html('[x](/pricing?a=1&b=2)')).toContain('<a href="/site/pricing?a=1&amp;b=2"');
    expect(html('# Big')).toBe('<h3>Big</h3>');
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
    const tags = html(markdown).match(/<[a-z][^>]*>/gi) ?? [];
    for (const tag of tags) {
      expect(tag).not.toMatch(/^<(script|svg|b|iframe|object)\b/i);
      expect(tag.replace(/"[^"]*"/g, '""')).not.toMatch(/\son\w+=/i);
      expect(tag).not.toMatch(/(href|src)="\s*(javascript|data|vbscript):/i);
    }
  });

  it('writes no tag that markdown does not have, whatever the text', () => {
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
        '&quot;',
        '&#34;',
      ),
    );
    fc.assert(
      fc.property(hostile, (parts) => {
        const tags = html(parts.join('')).match(/<[a-z][^>]*>/gi) ?? [];
        for (const tag of tags)
          expect(tag.replace(/"[^"]*"/g, '""')).toMatch(
            /^<(p|a|img|code|pre|br|blockquote|h\d|li|ul|ol|em|strong|hr)( [a-z-]+="")*( \/)?>$/,
          );
      }),
      { numRuns: 500 },
    );
  });

  it('shows a text that would cost too much as it is written, and tells the editor', () => {
    const text = `${'*a_ '.repeat(12_000)}\n\n<b>`;
    const shown = markdownToHtml(text, '/preview');
    expect(shown).toContain(editorStrings.tooHeavy);
    expect(shown).toContain('<p>*a_ *a_');
    expect(shown).toContain('<p>&lt;b&gt;</p>');
    expect(markdownToHtml(text, '/site')).not.toContain(editorStrings.tooHeavy);
  });
});
