import type { Element } from 'hast';
import { block, inRow } from '#server/wordpress/blocks/block-markup';
import { present } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { headings, marked } from '#server/wordpress/blocks/text-blocks';
import type { JsonObject } from '#server/core/json';
import { daysText, type OpeningHours, type Weekday, weekdays } from '#server/core/sections/opening-hours';
import { siteTexts, siteTextsByLanguage } from '#server/core/messages/site-texts';
import { classesOf, elementsOf, onOneLine, wordsOf } from '#server/markup/html-tree';

const DAY_CLASS = new RegExp(`^throughline-(${weekdays.join('|')})$`);

/** `Monday – Friday: 09:00 – 17:00`; without one of the times `– 17:00` or `09:00 –`. @param language language tag */
function rowText(row: OpeningHours, language: string): string {
  const isClosed = row.opens === undefined && row.closes === undefined;
  const times = isClosed ? siteTexts(language).closed : `${row.opens ?? ''} – ${row.closes ?? ''}`.trim();
  return `${daysText(row, language)}: ${times}`;
}

/** Languages in which rows may have been written: the site may have had another one. */
const KNOWN_LANGUAGES = Object.keys(siteTextsByLanguage);

/** Reads the days of a row from its classes, and the times from its text; null if the text was written by hand. */
function readRow(item: Element, language: string): JsonObject | null {
  const days = classesOf(item).flatMap((name) => (DAY_CLASS.exec(name)?.[1] ?? []) as Weekday | []);
  const text = onOneLine(wordsOf(item));
  const [opens, closes] = /(\d\d:\d\d)?(?: – |– | –$)(\d\d:\d\d)?$/.exec(text)?.slice(1) ?? [];
  const [firstDay, lastDay] = days;
  if (firstDay === undefined) return null;
  const isWritten = (tag: string) => rowText({ firstDay, lastDay, opens, closes }, tag) === text;
  if (![language, ...KNOWN_LANGUAGES].some(isWritten)) return null;
  return present({ firstDay, lastDay, opens, closes });
}

/** WordPress has no block for opening hours: the rows become a list. */
export const openingHoursBlocks: SectionMapping<'opening-hours'> = {
  write({ heading, items, address, phone, note }, { language }) {
    const rows = items.map((row) => {
      const days = [row.firstDay, ...(row.lastDay === undefined ? [] : [row.lastDay])];
      const className = days.map((day) => `throughline-${day}`).join(' ');
      return block('list-item', `<li class="${className}">${rowText(row, language)}</li>`, { className });
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
    const rows = (elementsOf(reader.take('ul')?.children ?? []) ?? []).map((item) => readRow(item, reader.language));
    if (!rows.every((row) => row !== null)) return null;
    const [address, phone, note] = ['address', 'phone', 'note'].map((name) => reader.marked(name));
    return present({ heading, items: rows, address, phone, note });
  },
};
