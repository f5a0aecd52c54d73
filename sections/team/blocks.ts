import { imageBlock } from '#server/wordpress/blocks/block-markup';
import { type BlockReader, present } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { headings, marked, prose, readItems } from '#server/wordpress/blocks/text-blocks';
import type { JsonValue } from '#server/core/json';

function readPerson(reader: BlockReader): Record<string, JsonValue | undefined> {
  const picture = reader.picture();
  const [role, body] = [reader.marked('role'), reader.prose()];
  return { role, body, src: picture?.src, alt: picture?.alt === '' ? undefined : picture?.alt };
}

export const teamBlocks: SectionMapping<'team'> = {
  write: ({ heading, intro, items }, context) => [
    ...headings(heading),
    ...prose(intro),
    ...items.flatMap(({ title, role, body, src, alt }) => [
      ...headings(title, 3),
      ...(src === undefined ? [] : [imageBlock({ src, alt: alt ?? '' }, context)]),
      ...marked('role', role),
      ...prose(body),
    ]),
  ],
  read: (reader) =>
    present({
      heading: reader.heading('h2'),
      intro: reader.prose(),
      items: readItems(reader, () => readPerson(reader)),
    }),
};
