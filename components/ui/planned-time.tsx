const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = { weekday: 'short', day: 'numeric', month: 'short' } as const;
const dayOfYear = new Intl.DateTimeFormat('en-GB', day);
const dayOfAnyYear = new Intl.DateTimeFormat('en-GB', { ...day, year: 'numeric' });

/** A time of publication in the reader's time zone: `Tue 5 Jan, 09:00`; in another year than this one with it. */
export function plannedTime(time: number, now = Date.now()): string {
  const isThisYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  const date = (isThisYear ? dayOfYear : dayOfAnyYear).format(time).replace(',', '');
  return `${date}, ${clock.format(time)}`;
}

/** A time (epoch milliseconds) as a field for day and time holds it, in the reader's time zone. */
export function toTimeField(time: number): string {
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** Time in such a field; null: none. */
export function fromTimeField(value: string): number | null {
  const time = value === '' ? NaN : new Date(value).getTime();
  return Number.isFinite(time) ? time : null;
}

/** The reader's: `Europe/Berlin`. */
export function timeZone(): string {
  return clock.resolvedOptions().timeZone;
}

/** Tomorrow at nine in the morning, in the reader's time zone. */
export function tomorrowMorning(now: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1, 9).getTime();
}
