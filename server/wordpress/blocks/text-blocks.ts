import type { BlockContext } from '#server/wordpress/blocks/block-context';
import { fieldClass, headingBlock, proseBlocks } from '#server/wordpress/blocks/block-markup';
import { type BlockReader, present } from '#server/wordpress/blocks/block-reader';
import { markdownToBlocks } from '#server/wordpress/blocks/from-markdown';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import type { JsonValue } from '#server/core/json';
import type { SectionFields } from '#server/core/site/section-fields';
import { escapeText } from '#server/markup/write-html';

/* Blocks for the plain texts of sections. */

/** A heading; none for no text. */
export function headings(heading: string | undefined, level = 2): string[] {
  return heading === undefined ? [] : [headingBlock(escapeText(heading), level)];
}

/** Paragraphs; none for no text. */
export function prose(text: string | undefined): string[] {
  return text === undefined ? [] : proseBlocks(text);
}

/** Paragraphs with a class, by which `BlockReader.marked` recognizes the field; none for no text. */
export function marked(field: string, text: string | undefined): string[] {
  return text === undefined ? [] : proseBlocks(text, fieldClass(field));
}

/**
 * Items that each begin with a heading.
 * @param readRest reads the other fields of an item
 * @param name of the field that the heading is
 */
export function readItems(
  reader: BlockReader,
  readRest: () => Readonly<Record<string, JsonValue | undefined>>,
  name = 'title',
): JsonValue[] {
  const found: JsonValue[] = [];
  for (let title = reader.heading('h3', 'h4'); title !== undefined; title = reader.heading('h3', 'h4')) {
    found.push(present({ [name]: title, ...readRest() }));
  }
  return found;
}

/** Pairs of a title and a text, each title as a heading. */
export function titled(items: readonly (readonly [string, string])[]): string[] {
  return items.flatMap(([title, text]) => [...headings(title, 3), ...prose(text)]);
}

/** Reads what `titled` writes, as items with these two fields. */
export function readTitled(reader: BlockReader, name: string, text: string): JsonValue[] {
  return readItems(reader, () => ({ [text]: reader.prose() ?? '' }), name);
}

/** Converts sections that have a heading, an intro, and items with a title and a text. */
export const titledItems: SectionMapping<'features' | 'steps'> = {
  write: ({ heading, intro, items }) => [
    ...headings(heading),
    ...prose(intro),
    ...titled(items.map(({ title, body }) => [title, body])),
  ],
  read(reader) {
    const heading = reader.heading('h2');
    return present({ heading, intro: reader.prose(), items: readTitled(reader, 'title', 'body') });
  },
};

/** The blocks of a text: its heading, and its body. */
export function textBlocks({ heading, body }: SectionFields<'text'>, context: BlockContext): string[] {
  return [...headings(heading), ...markdownToBlocks(body, context).map(({ raw }) => raw)];
}
