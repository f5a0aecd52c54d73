import type { Element } from 'hast';
import { block, inRow } from '#server/wordpress/blocks/block-markup';
import { present } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { headings, marked } from '#server/wordpress/blocks/text-blocks';
import type { JsonObject } from '#server/core/json';
import { daysText, type OpeningHours, type Weekday, weekdays } from '#server/core/sections/opening-hours';
import { classesOf, elementsOf, onOneLine, wordsOf } from '#server/markup/html-tree';

const DAY_CLASS = new RegExp(`^throughline-(${weekdays.join('|')})$`);

/** `Monday – Friday: 09:00 – 17:00`; without one of the times `– 17:00` or `09:00 –`. The language of a WordPress site is unknown here, so the days are English. */
function rowText(row: OpeningHours): string {
  const isClosed = row.opens === undefined && row.closes === undefined;
  const times = isClosed ? 'closed' : `${row.opens ?? ''} – ${row.closes ?? ''}`.trim();
  return `${daysText(row, 'en')}: ${times}`;
}

/** Reads the days of a row from its classes, and the times from its text; null if the text was written by hand. */
function readRow(item: Element): JsonObject | null {
  const days = classesOf(item).flatMap((name) => (DAY_CLASS.exec(name)?.[1] ?? []) as Weekday | []);
  const text = onOneLine(wordsOf(item));
  const [opens, closes] = /(\d\d:\d\d)?(?: – |– | –$)(\d\d:\d\d)?$/.exec(text)?.slice(1) ?? [];
  const [firstDay, lastDay] = days;
  if (firstDay === undefined || rowText({ firstDay, lastDay, opens, closes }) !== text) return null;
  return present({ firstDay, lastDay, opens, closes });
}

/** WordPress has no block for opening hours: the rows become a list. */
export const openingHoursBlocks: SectionMapping<'opening-hours'> = {
  write({ heading, items, address, phone, note }) {
    const rows = items.map((row) => {
      const days = [row.firstDay, ...(row.lastDay === undefined ? [] : [row.lastDay])];
      const className = days.map((day) => `throughline-${day}`).join(' ');
      return block('list-item', `<li class="${className}">${rowText(row)}</li>`, { className });
    });
    return [
      ...headings(heading),
      block('list', `<ul>${inRow(rows)}</ul>`),
      ...marked('address', address),
      ...marked('phone', phone),
      ...marked('note', note),
    ];
  },
  read(reader) {
    const heading = reader.heading('h2');
    const rows = (elementsOf(reader.take('ul')?.children ?? []) ?? []).map(readRow);
    if (!rows.every((row) => row !== null)) return null;
    const [address, phone, note] = ['address', 'phone', 'note'].map((name) => reader.marked(name));
    return present({ heading, items: rows, address, phone, note });
  },
};
