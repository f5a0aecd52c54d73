import { expect, it } from 'vitest';
import { phoneNumber } from '#server/core/sections/opening-hours';

it.each([
  ['+49 (0) 30 1234', '+49301234'],
  ['+44 1326 12', '+44132612'],
  ['(030) 12 34', '0301234'],
  ['030 / 1234 + 5', '03012345'],
  ['auf Anfrage', null],
  ['12', null],
])('dials for %j the number %j', (written, expected) => {
  expect(phoneNumber(written)).toBe(expected);
});
