import type { BlockContext } from '#server/wordpress/blocks/block-context';
import { group, inRow } from '#server/wordpress/blocks/block-markup';
import { BlockReader, type Fields, type GroupContent } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { type Section, type SectionContent, type SectionType, sectionTypes } from '#server/core/site/content';
import type { SectionFields } from '#server/core/site/section-fields';
import { elementsOf } from '#server/markup/html-tree';
import { sectionBlocks } from '#sections/blocks';
import { sectionDefinitions } from '#sections/fields';
import type { Element } from 'hast';

const mappings: { readonly [Type in SectionType]: SectionMapping<Type> } = sectionBlocks;

/** Class of a layout; the theme determines its appearance. */
const LAYOUT_CLASS = /^throughline-layout-([a-z-]+)$/;

/** Classes of the group of a section. */
export function classesFor({ type, fields }: SectionContent): string {
  const { layout } = fields as { readonly layout?: string };
  return `throughline-${type}${layout === undefined ? '' : ` throughline-layout-${layout}`}`;
}

/** The layout in the classes of a group, if its section type has that layout. */
function layoutIn(type: SectionType, classes: readonly string[]): Fields {
  const [name] = classes.flatMap((each) => LAYOUT_CLASS.exec(each)?.slice(1) ?? []);
  const { shape } = sectionDefinitions[type].fields;
  return name !== undefined && 'layout' in shape && shape.layout.safeParse(name).success ? { layout: name } : {};
}

/**
 * A section as markup of WordPress's own blocks, without a line break at its end; every theme shows all its text. A
 * text becomes separate blocks, a picture an image block, HTML an HTML block; every other type, and all with a layout,
 * become a group with the class `throughline-<type>`, by which `readGroup` recognizes it.
 */
export function writeSection({ type, fields }: Section, context: BlockContext): string {
  // All our writes check the fields against the type, see server/site/section-types.
  const typed = fields as SectionFields<SectionType>;
  const { write, isUngrouped } = mappings[type] as SectionMapping<SectionType>;
  const blocks = write(typed, context);
  const isPlain = isUngrouped === true && !('layout' in typed && typed.layout !== undefined);
  return isPlain ? inRow(blocks) : group(classesFor({ type, fields }), blocks);
}

/**
 * Fields of a section that was written as a group with these classes; null if it now contains something that the type
 * cannot represent.
 */
export function readGroup(type: SectionType, content: GroupContent, classes: readonly string[]): Fields | null {
  const { read, readContent } = mappings[type];
  if (readContent !== undefined) {
    const fields = readContent(content);
    return fields && { ...fields, ...layoutIn(type, classes) };
  }
  const elements = elementsOf(content.nodes);
  if (read === undefined || elements === null) return null;
  const reader = new BlockReader(elements, content.context, content.block);
  const fields = read(reader);
  return reader.isAtEnd && fields !== null ? { ...fields, ...layoutIn(type, classes) } : null;
}

/** A block that people made in WordPress, read as a section. */
export interface ForeignSection {
  readonly type: SectionType;
  /** Null if the block contains something that the type cannot represent. */
  readonly fields: Fields | null;
}

/** Reads a block that was not written here by its name; undefined if no kind of section reads such blocks. */
export function readForeign(name: string, element: Element, context: BlockContext): ForeignSection | undefined {
  for (const type of sectionTypes) {
    const read = mappings[type].foreign?.[name];
    if (read !== undefined) return { type, fields: read(element, context) };
  }
  return undefined;
}
