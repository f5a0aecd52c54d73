import type { Root } from 'hast';
import type { Root as MarkdownRoot, RootContent as MarkdownNode } from 'mdast';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';
import { createBoundedCache } from '#server/core/bounded-cache';
import { limitedMarkdown } from '#server/markup/markdown';

const reader = unified().use(remarkParse).use(remarkGfm).use(limitedMarkdown).freeze();
const writer = unified()
  .use(remarkRehype)
  .use(rehypeSanitize, { ...defaultSchema, clobber: [], tagNames: [...(defaultSchema.tagNames ?? []), 'mark'] })
  .freeze();

/** HTML in markdown is words, as on our own site; a footnote's mark too, since its text may be in another block. */
function plain(node: MarkdownNode): MarkdownNode[] {
  if (node.type === 'html') return [{ type: 'text', value: node.value, ...position(node) }];
  if (node.type === 'footnoteReference') return [{ type: 'text', value: `[^${node.label ?? node.identifier}]` }];
  const mapped = 'children' in node ? { ...node, children: node.children.flatMap(plain) } : node;
  if (mapped.type !== 'footnoteDefinition') return [mapped as MarkdownNode];
  const mark: MarkdownNode = { type: 'text', value: `[^${mapped.label ?? mapped.identifier}]: ` };
  return [{ type: 'paragraph', children: [mark], ...position(node) }, ...mapped.children];
}

function position(node: MarkdownNode) {
  return node.position === undefined ? {} : { position: node.position };
}

/** A block of HTML in markdown is a paragraph of words. */
function plainBlock(node: MarkdownNode): MarkdownNode[] {
  if (node.type !== 'html') return plain(node);
  return [{ type: 'paragraph', children: [{ type: 'text', value: node.value }], ...position(node) }];
}

/** What one edit reads again and again: the text before and after it, and what its markup is in markdown. */
const KEPT_TREES = 4;
const kept = createBoundedCache<MarkdownRoot>(KEPT_TREES);

/** The blocks of a markdown text, not to be changed: trees are kept. Their positions are offsets in the text. */
export function readMarkdown(markdown: string): MarkdownRoot {
  return kept(markdown, () => reader.parse(markdown));
}

/** Markdown as a tree of HTML without anything unsafe; the top elements have the positions of their markdown. */
export function markdownToHtml(markdown: string): Root {
  const tree = readMarkdown(markdown);
  return writer.runSync({ ...tree, children: tree.children.flatMap(plainBlock) });
}
