/* Opening hours as rows of days with times, and as text in a language. */

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof weekdays)[number];

/** The days of a row; `lastDay` is absent for a single day. */
export interface DayRange {
  readonly firstDay: Weekday;
  readonly lastDay?: Weekday | undefined;
}

/** Days with the time when they open and close, `09:00`; closed all day without both. */
export interface OpeningHours extends DayRange {
  readonly opens?: string | undefined;
  readonly closes?: string | undefined;
}

/** The rows of a section that a person has just added. */
export const EXAMPLE_HOURS = [
  { firstDay: 'monday', lastDay: 'friday', opens: '09:00', closes: '18:00' },
  { firstDay: 'saturday', opens: '10:00', closes: '14:00' },
  { firstDay: 'sunday' },
] as const satisfies readonly OpeningHours[];

/** True for the rows of `EXAMPLE_HOURS`. */
export function isExampleHours(items: readonly OpeningHours[]): boolean {
  const text = (rows: readonly OpeningHours[]) =>
    rows
      .map(({ firstDay, lastDay = '', opens = '', closes = '' }) => [firstDay, lastDay, opens, closes].join(' '))
      .join();
  return text(items) === text(EXAMPLE_HOURS);
}

/** Monday, 1 January 2024, in epoch milliseconds. */
const A_MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

/** All days of a row. A range may begin late in the week: Saturday to Monday are three days. */
export function daysOf({ firstDay, lastDay = firstDay }: DayRange): readonly Weekday[] {
  const first = weekdays.indexOf(firstDay);
  const count = (weekdays.indexOf(lastDay) - first + weekdays.length) % weekdays.length;
  return Array.from({ length: count + 1 }, (_, index) => weekdays[(first + index) % weekdays.length]!);
}

/** Formats by language, because creating one is slow. */
const formats = new Map<string, { readonly day: Intl.DateTimeFormat; readonly time: Intl.DateTimeFormat }>();

function formatsOf(language: string) {
  // English without a region uses the 24-hour clock of Great Britain, as dates do.
  const locale = language === 'en' ? 'en-GB' : language;
  const found = formats.get(locale) ?? {
    day: new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' }),
    time: new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' }),
  };
  formats.set(locale, found);
  return found;
}

/** `Monday – Friday`. @param language language tag (BCP 47) */
export function daysText({ firstDay, lastDay = firstDay }: DayRange, language: string): string {
  const name = (day: Weekday) => formatsOf(language).day.format(A_MONDAY + weekdays.indexOf(day) * DAY_MS);
  return firstDay === lastDay ? name(firstDay) : `${name(firstDay)} – ${name(lastDay)}`;
}

/** `09:00 – 17:00`, or `– 17:00` without the other time; undefined for a day that is closed. @param language language tag (BCP 47) */
export function timesText({ opens, closes }: OpeningHours, language: string): string | undefined {
  const text = (time: string | undefined) => (time === undefined ? '' : timeText(time, language));
  const isClosed = opens === undefined && closes === undefined;
  return isClosed ? undefined : `${text(opens)} – ${text(closes)}`.trim();
}

/** Fewest digits of a phone number that can be called. */
const MIN_DIGITS = 3;

/**
 * The number that a written phone number dials; null if it is none. Of `+49 (0) 30 1234` the zero in brackets, which is
 * only dialled within the country, is left out.
 */
export function phoneNumber(written: string): string | null {
  const international = written.trim().startsWith('+') ? written.replace(/\(0+\)/, '') : written;
  const number = international.replaceAll(/(?!^\s*)\+|[^+\d]/g, '');
  return number.replace('+', '').length < MIN_DIGITS ? null : number;
}

/** `09:30` in a language: `9:30 AM`. Midnight at the end of a day stays `24:00`. */
function timeText(time: string, language: string): string {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour === 24 ? time : formatsOf(language).time.format(A_MONDAY + (hour * 60 + minute) * 60_000);
}
