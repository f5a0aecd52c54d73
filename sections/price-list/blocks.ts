import { present } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { headings, marked, prose, readItems } from '#server/wordpress/blocks/text-blocks';

export const priceListBlocks: SectionMapping<'price-list'> = {
  write: ({ heading, intro, items, note }) => [
    ...headings(heading),
    ...prose(intro),
    ...items.flatMap(({ title, price, body }) => [...headings(title, 3), ...marked('price', price), ...prose(body)]),
    ...marked('note', note),
  ],
  read: (reader) =>
    present({
      heading: reader.heading('h2'),
      intro: reader.prose(),
      items: readItems(reader, () => ({ price: reader.marked('price'), body: reader.prose() })),
      note: reader.marked('note'),
    }),
};
