import { present } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { headings, marked, prose, readItems } from '#server/wordpress/blocks/text-blocks';

export const timetableBlocks: SectionMapping<'timetable'> = {
  write: ({ heading, intro, items, note }) => [
    ...headings(heading),
    ...prose(intro),
    ...items.flatMap(({ title, day, time, body }) => [
      ...headings(title, 3),
      ...marked('day', day),
      ...marked('time', time),
      ...prose(body),
    ]),
    ...marked('note', note),
  ],
  read: (reader) =>
    present({
      heading: reader.heading('h2'),
      intro: reader.prose(),
      items: readItems(reader, () => ({
        day: reader.marked('day'),
        time: reader.marked('time'),
        body: reader.prose(),
      })),
      note: reader.marked('note'),
    }),
};
