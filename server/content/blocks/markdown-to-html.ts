import type { Root } from 'hast';
import type { Root as MarkdownRoot, RootContent as MarkdownNode } from 'mdast';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';

const reader = unified().use(remarkParse).use(remarkGfm).freeze();
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

/** Depth of `> > > ...` and of lists that is still read; more are words. */
const MAX_MARKDOWN_DEPTH = 50;

/** Markdown nests by its marks at the start of a line: a line with too many of them. */
const DEEP_LINE = new RegExp(`^(?:[ \\t]*(?:[>*+-]|\\d{1,9}[.)])[ \\t]?){${MAX_MARKDOWN_DEPTH},}`, 'm');

/**
 * Most closing brackets of one paragraph that are looked at: for each the parser goes back over all before it, which
 * takes half a minute for 8,000 of them.
 */
const MAX_BRACKETS = 1_000;

/** Whether reading a markdown text would take more than its length is worth. */
export function isTooMuchMarkdown(markdown: string): boolean {
  if (DEEP_LINE.test(markdown) || /[[*_~]{400}/.test(markdown)) return true;
  return markdown.split(/\n[ \t]*\n/).some((part) => part.split(']').length > MAX_BRACKETS);
}

/** The blocks of a markdown text; their positions are offsets in it. */
export function readMarkdown(markdown: string): MarkdownRoot {
  if (!isTooMuchMarkdown(markdown)) return reader.parse(markdown);
  const words: MarkdownNode = { type: 'text', value: markdown };
  const end = { line: 1, column: 1, offset: markdown.length };
  return {
    type: 'root',
    children: [{ type: 'paragraph', children: [words], position: { start: { line: 1, column: 1, offset: 0 }, end } }],
  };
}

/** Markdown as a tree of HTML without anything unsafe; the top elements have the positions of their markdown. */
export function markdownToHtml(markdown: string): Root {
  const tree = readMarkdown(markdown);
  return writer.runSync({ ...tree, children: tree.children.flatMap(plainBlock) });
}
