import type { Element } from 'hast';
import type { BlockContext } from '#server/wordpress/blocks/block-context';
import type { BlockReader, Fields, GroupContent } from '#server/wordpress/blocks/block-reader';
import type { SectionType } from '#server/core/site/content';
import type { SectionFields } from '#server/core/site/section-fields';

/**
 * Converts a kind of section to WordPress blocks, and back. Blocks are read as null if they contain something that the
 * kind cannot represent.
 */
export interface SectionMapping<Type extends SectionType> {
  /** The blocks, which are put into a group with the class `throughline-<type>`. */
  readonly write: (fields: SectionFields<Type>, context: BlockContext) => string[];
  /** True for blocks that need no group to be recognized. Default: false. */
  readonly isUngrouped?: boolean;
  /** Reads the elements of a group. Absent: this kind is not in groups. */
  readonly read?: (reader: BlockReader) => Fields | null;
  /** Reads a group that may contain text outside of its elements; takes the place of `read`. */
  readonly readContent?: (content: GroupContent) => Fields | null;
  /** Reads blocks that people made in WordPress as this kind, by the name of the block. */
  readonly foreign?: Readonly<Record<string, (element: Element, context: BlockContext) => Fields | null>>;
}
