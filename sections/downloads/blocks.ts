import { linkBlock } from '#server/wordpress/blocks/block-markup';
import { type BlockReader, present } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { headings, marked, prose } from '#server/wordpress/blocks/text-blocks';
import type { JsonObject } from '#server/core/json';

function readFiles(reader: BlockReader): JsonObject[] {
  const found: JsonObject[] = [];
  for (let file = reader.link('file'); file !== undefined; file = reader.link('file')) {
    found.push(present({ title: file.label, href: file.href, body: reader.marked('about') }));
  }
  return found;
}

export const downloadsBlocks: SectionMapping<'downloads'> = {
  write: ({ heading, intro, items }, context) => [
    ...headings(heading),
    ...prose(intro),
    ...items.flatMap(({ title, href, body }) => [
      linkBlock({ field: 'file', href, label: title }, context),
      ...marked('about', body),
    ]),
  ],
  read: (reader) => present({ heading: reader.heading('h2'), intro: reader.prose(), items: readFiles(reader) }),
};
