import { dates } from '#components/format.ts';
import { perLanguage } from '#components/language.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const clock = dates({ hour: '2-digit', minute: '2-digit' });
const dayAndMonth = dates({ day: 'numeric', month: 'short' });
const fullDate = dates({ day: 'numeric', month: 'short', year: 'numeric' });
const weekday = dates({ weekday: 'short' });
const decimal = perLanguage(
  (code) => new Intl.NumberFormat(code, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
);
const relative = perLanguage((code) => new Intl.RelativeTimeFormat(code, { numeric: 'auto' }));

/** Midnight at the start of the local day that contains `time` (epoch ms). */
function startOfDay(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}

/** Elapsed time in a short form for list rows: `now`, `5 min`, `3 h`, `Tue`, `4 Mar`. */
export function relativeTime(time: number, now: number): string {
  const age = Math.max(0, now - time);
  if (age < MINUTE) return relative().format(0, 'second');
  if (age < HOUR) return `${String(Math.floor(age / MINUTE))} min`;
  if (startOfDay(time) === startOfDay(now)) return `${String(Math.floor(age / HOUR))} h`;
  if (age < 6 * DAY) return weekday.format(time);
  return new Date(time).getFullYear() === new Date(now).getFullYear()
    ? dayAndMonth.format(time)
    : fullDate.format(time);
}

/** The time of day of a message, `14:05`. */
export function clockTime(time: number): string {
  return clock.format(time);
}

/** A day of any year with the time of day: `4 Mar, 14:05`. */
export function dayAndTime(time: number): string {
  return `${dayAndMonth.format(time)}, ${clock.format(time)}`;
}

/** A day as a heading: `4 Mar 2026`. */
export function dayName(time: number): string {
  return fullDate.format(time);
}

/** An elapsed time in milliseconds, while still running, for display: `3 s`, `2 min 5 s`. */
export function wholeSeconds(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return seconds < 60 ? `${String(seconds)} s` : duration(seconds * 1000);
}

/** A duration in milliseconds, for display: `0.8 s`, `12 s`, `2 min 5 s`. */
export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${decimal().format(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${String(whole)} s`;
  const rest = whole % 60;
  return rest === 0
    ? `${String(Math.floor(whole / 60))} min`
    : `${String(Math.floor(whole / 60))} min ${String(rest)} s`;
}

/** Groups of the conversation list, by age in whole local days; `week`: within the last 6 days. */
export type AgeGroup = 'today' | 'yesterday' | 'week' | 'older';

/** Group of the conversation list for a time (epoch ms). */
export function ageGroup(time: number, now: number): AgeGroup {
  const today = startOfDay(now);
  if (time >= today) return 'today';
  if (time >= startOfDay(today - 1)) return 'yesterday';
  return time >= startOfDay(now - 6 * DAY) ? 'week' : 'older';
}

const day = { weekday: 'short', day: 'numeric', month: 'short' } as const;
const dayOfYear = dates(day);
const dayOfAnyYear = dates({ ...day, year: 'numeric' });

/** A publication time in the reader's time zone: `Tue 5 Jan, 09:00`; with the year if it is not the current one. */
export function scheduledTime(time: number, now = Date.now()): string {
  const isThisYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  const date = (isThisYear ? dayOfYear : dayOfAnyYear).format(time).replace(',', '');
  return `${date}, ${clock.format(time)}`;
}

/** A time (epoch milliseconds) as the value of a date and time field, in the reader's time zone. */
export function toTimeField(time: number): string {
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** The time (epoch milliseconds) in a date and time field; null if the field is empty or invalid. */
export function fromTimeField(value: string): number | null {
  const time = value === '' ? NaN : new Date(value).getTime();
  return Number.isFinite(time) ? time : null;
}

/** The reader's time zone: `Europe/Berlin`. */
export function timeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Tomorrow at nine in the morning, in the reader's time zone. */
export function tomorrowMorning(now: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1, 9).getTime();
}
