import { InvalidInputError } from '#server/core/errors';

/* Times and days in tool results and tool inputs. */

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(?:Z|[+-]\d\d:?\d\d)$/i;

function twoDigits(value: number): string {
  return String(Math.trunc(Math.abs(value))).padStart(2, '0');
}

/** A time (epoch milliseconds) in the form that models read: to the second, in this server's zone. */
export function isoTime(time: number): string {
  const offset = -new Date(time).getTimezoneOffset();
  const local = new Date(time + offset * 60_000).toISOString().slice(0, 19);
  return `${local}${offset < 0 ? '-' : '+'}${twoDigits(offset / 60)}:${twoDigits(offset % 60)}`;
}

/** A day in the form that models read: `2027-01-05`, in this server's zone. */
export function isoDay(time: number): string {
  return isoTime(time).slice(0, 10);
}

/**
 * Reads the time for which a model schedules a publication; returns epoch milliseconds. The error states the current time,
 * because models do not know it.
 * @throws InvalidInputError for text that is not a time, for a time without a zone, which may be the user's or this
 * server's, and for a time in the past
 */
export function readPublicationTime(text: string, now = Date.now()): number {
  const time = ISO_TIME.test(text) ? Date.parse(text) : NaN;
  if (time > now) return time;
  const isPast = Number.isFinite(time);
  const problem = isPast
    ? `"${text}" has passed`
    : `"at" must be as 2027-01-05T09:00:00+01:00, with the user's zone at that time`;
  throw new InvalidInputError(`${problem}. Now it is ${isoTime(now)}.`);
}
