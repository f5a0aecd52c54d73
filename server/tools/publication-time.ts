import { InvalidInputError } from '#server/core/errors';

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

function twoDigits(value: number): string {
  return String(Math.trunc(Math.abs(value))).padStart(2, '0');
}

/** A time (epoch milliseconds) as models read it: to the second, in this server's zone. */
export function isoTime(time: number): string {
  const offset = -new Date(time).getTimezoneOffset();
  const local = new Date(time + offset * 60_000).toISOString().slice(0, 19);
  return `${local}${offset < 0 ? '-' : '+'}${twoDigits(offset / 60)}:${twoDigits(offset % 60)}`;
}

/** A time for people: `Tue 5 Jan 2027, 09:00 GMT+1`, in this server's zone. */
export function spokenTime(time: number): string {
  const parts = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
  const date = new Intl.DateTimeFormat('en-GB', parts).format(time).replace(',', '');
  const clock = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;
  return `${date}, ${new Intl.DateTimeFormat('en-GB', clock).format(time)}`;
}

/**
 * The time that a model has planned something for, epoch milliseconds; without a zone it is this server's. Models do
 * not know the date, so that a refusal tells it.
 * @throws InvalidInputError for what is no time, and for one that has passed
 */
export function readPublicationTime(text: string, now = Date.now()): number {
  const time = ISO_TIME.test(text) ? Date.parse(text) : NaN;
  if (time > now) return time;
  const isPast = Number.isFinite(time);
  const problem = isPast ? `"${text}" has passed` : `"at" must be as 2027-01-05T09:00:00+01:00`;
  throw new InvalidInputError(`${problem}. Now it is ${isoTime(now)}.`);
}
