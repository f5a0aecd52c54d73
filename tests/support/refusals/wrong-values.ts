import { LETTERS } from '#tests/support/bad-bodies';

export const LARGE_BODY = 32_000_000;

export const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

export const MALFORMED_IDS = [
  '7',
  'ses_',
  '__proto__',
  'ses_01H0000000000000000000000A',
  '%00',
  '%ff',
  '%E0%A4%A',
  '..%2f..',
  "'--",
  LETTERS.slice(0, 9_000),
];

export const WRONG_LIMITS = [
  'limit=0',
  'limit=-1',
  'limit=NaN',
  'limit=1.5',
  'limit=',
  'limit=1e9',
  'limit=ten',
  'limit=Infinity',
];

export const WRONG_CURSORS = ['', 'x', '%00', 'bnVsbA', 'e30', 'W10', 'WzEse31d', LETTERS.slice(0, 9_000)].map(
  (cursor) => `cursor=${cursor}`,
);

export const ABSENT_ATTACHMENT = 'blb_01h0000000000000000000000a';
