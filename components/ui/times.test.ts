import { describe, expect, it } from 'vitest';
import { ageGroup, duration, fromTimeField, relativeTime, toTimeField, wholeSeconds } from '#components/ui/times.ts';

const at = (text: string) => new Date(text).getTime();
const now = at('2026-03-18T15:00:00');

describe('relativeTime', () => {
  it.each([
    ['2026-03-18T14:59:40', 'now'],
    ['2026-03-18T14:48:00', '12 min'],
    ['2026-03-18T09:00:00', '6 h'],
    ['2026-03-17T23:00:00', 'Tue'],
    ['2026-03-04T12:00:00', '4 Mar'],
    ['2025-12-24T12:00:00', '24 Dec 2025'],
    ['2026-03-18T15:00:09', 'now'],
  ])('shows %s as %s', (time, shown) => {
    expect(relativeTime(at(time), now)).toBe(shown);
  });
});

it.each([
  [-1, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [125_999, '2 min 5 s'],
])('shows %i ms, still running, as %s', (milliseconds, shown) => {
  expect(wholeSeconds(milliseconds)).toBe(shown);
});

it.each([
  [840, '0.8 s'],
  [12_300, '12 s'],
  [59_600, '1 min'],
  [125_400, '2 min 5 s'],
])('shows a duration of %i ms as %s', (milliseconds, shown) => {
  expect(duration(milliseconds)).toBe(shown);
});

describe('ageGroup', () => {
  it('counts calendar days, not hours', () => {
    expect(ageGroup(at('2026-03-18T00:01:00'), now)).toBe('today');
    expect(ageGroup(at('2026-03-17T23:59:00'), now)).toBe('yesterday');
    expect(ageGroup(at('2026-03-13T12:00:00'), now)).toBe('week');
    expect(ageGroup(at('2026-03-01T12:00:00'), now)).toBe('older');
  });
});

/** In the local time zone. */
const publication = new Date(2027, 0, 5, 9, 0).getTime();

describe('times of publication', () => {
  it('go into a field and come out of it the same, also in summer', () => {
    expect(toTimeField(publication)).toBe('2027-01-05T09:00');
    for (const each of [publication, new Date(2027, 6, 5, 23, 59).getTime()])
      expect(fromTimeField(toTimeField(each))).toBe(each);
    expect([fromTimeField(''), fromTimeField('soon')]).toEqual([null, null]);
  });
});
