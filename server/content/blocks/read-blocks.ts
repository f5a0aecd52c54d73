import type { Segment } from '#server/content/blocks/block-context';
import { readSegments } from '#server/content/blocks/read-segments';
import type { ClassicContext } from '#server/content/blocks/shortcodes';

/**
 * Content of WordPress (`content.raw`) as sections; their `raw`, joined, is the content byte for byte. A heading of
 * level 1 or 2 begins a text section, running text after it is one; what no type can hold is an `html` section. Never
 * throws, whatever the markup is.
 */
export function readBlocks(raw: string, context: ClassicContext): Segment[] {
  return readSegments(raw, context).map(({ raw: piece, type, fields }) => ({ raw: piece, type, fields }));
}
