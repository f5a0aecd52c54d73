import { describe, expect, it } from 'vitest';
import { markdownToHtml } from '#server/wordpress/blocks/from-markdown';
import { markdownCases } from '#tests/support/markdown-cases';
import { htmlOf } from '#server/markup/write-html';

describe('WordPress blocks', () => {
  it.each(markdownCases)('are written with the same syntax as the site: %s', (_, markdown, html) => {
    expect(htmlOf(markdownToHtml(markdown).children).replace(/\n$/, '')).toBe(html);
  });
});
