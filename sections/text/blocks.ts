import { type Fields, type GroupContent, present } from '#server/wordpress/blocks/block-reader';
import { htmlToMarkdown } from '#server/wordpress/blocks/from-markdown';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { textBlocks as writeText } from '#server/wordpress/blocks/text-blocks';
import { isElement, onOneLine, wordsOf } from '#server/markup/html-tree';

function readContent({ nodes, context }: GroupContent): Fields | null {
  const [first] = nodes.filter((node) => isElement(node));
  const hasHeading = isElement(first, 'h2');
  const rest = hasHeading ? nodes.slice(nodes.indexOf(first) + 1) : nodes;
  const flow = htmlToMarkdown({ type: 'root', children: [...rest] }, context);
  return flow === null
    ? null
    : present({ heading: hasHeading ? onOneLine(wordsOf(first)) : undefined, body: flow.markdown });
}

/** Running text is separate blocks. */
export const textBlocks: SectionMapping<'text'> = { write: writeText, isUngrouped: true, readContent };
