import { describe, expect, it } from 'vitest';
import { markdownHtml } from '#server/markup/markdown-html';
import { markdownCases } from '#tests/support/markdown-cases';

describe('the site', () => {
  it.each(markdownCases)('reads %s', (_, markdown, html) => {
    expect(markdownHtml(markdown)?.trim()).toBe(html);
  });

  it('reads emphasis in quotes in emphasis as CommonMark does', () => {
    expect(markdownHtml('*ein „*guter*“ Tag*')).toBe('<p><em>ein „<em>guter</em>“ Tag</em></p>');
  });

  it('keeps two tildes and one apart in the cell of a table', () => {
    const html = markdownHtml('| Price |\n| --- |\n| 20~30 € and ~~40~~ |\n| https://x.example/a。 |');
    expect(html).toContain('<td>20~30 € and <del>40</del></td>');
    expect(html).toContain('<td><a href="https://x.example/a">https://x.example/a</a>。</td>');
  });
});
