import type { Root } from 'mdast';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { createBoundedCache } from '#server/core/bounded-map';
import { limitedMarkdown } from '#server/markup/markdown-limits';
import { remarkMarkdown } from '#server/markup/markdown-dialect';

const reader = unified().use(remarkParse).use(remarkMarkdown).use(limitedMarkdown).freeze();

/** Number of cached trees: one edit reads the text before and after it, and its markup as markdown, several times. */
const CACHED_TREES = 4;
const cached = createBoundedCache<Root>(CACHED_TREES);

/**
 * Parses a markdown text to a tree (mdast). The tree is cached: do not change it. A text beyond the limits becomes one
 * paragraph of plain text.
 */
export function readMarkdown(markdown: string): Root {
  return cached(markdown, () => reader.parse(markdown));
}
