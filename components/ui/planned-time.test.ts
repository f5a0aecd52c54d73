import { describe, expect, it } from 'vitest';
import { fromTimeField, plannedTime, tomorrowMorning, toTimeField } from '#components/ui/planned-time';

/** In the time zone of whoever runs this. */
const time = new Date(2027, 0, 5, 9, 0).getTime();

describe('times of publication', () => {
  it('are told with the year only where it is another one', () => {
    expect(plannedTime(time, new Date(2027, 5, 1).getTime())).toBe('Tue 5 Jan, 09:00');
    expect(plannedTime(time, new Date(2026, 11, 31).getTime())).toBe('Tue 5 Jan 2027, 09:00');
  });

  it('go into a field and come out of it the same, also in summer', () => {
    expect(toTimeField(time)).toBe('2027-01-05T09:00');
    for (const each of [time, new Date(2027, 6, 5, 23, 59).getTime()])
      expect(fromTimeField(toTimeField(each))).toBe(each);
    expect([fromTimeField(''), fromTimeField('soon')]).toEqual([null, null]);
  });

  it('are tomorrow morning where nobody has said another one', () => {
    expect(tomorrowMorning(new Date(2026, 11, 31, 23, 30).getTime())).toBe(new Date(2027, 0, 1, 9).getTime());
  });
});
