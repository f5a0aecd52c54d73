import { expect, it } from 'vitest';
import { nextAddress } from '#server/outgoing/outgoing-fetch';

const next = (from: string, to: string | null, allowed: 'configured' | 'public' = 'public', method = 'GET') =>
  nextAddress({ url: new URL(from), method, allowed }, 302, to).href;

it('a redirect leads on from where it is', () => {
  expect(next('https://a.test/x/y', '../z')).toBe('https://a.test/z');
  expect(next('http://a.test/', 'https://b.test/')).toBe('https://b.test/');
  expect(next('https://a.test/', '/b', 'configured')).toBe('https://a.test/b');
});

it.each<[string, string | null, RegExp]>([
  ['to what is not encrypted', 'http://a.test/', /not encrypted/],
  ['with a password', 'https://me:word@a.test/', /must not contain a user name or password/],
  ['to no web address', 'ftp://a.test/', /must begin with/],
  ['to nowhere', null, /nowhere/],
])('it is not followed %s', (_, to, message) => expect(() => next('https://a.test/', to)).toThrow(message));

it('with a configured address it stays in its origin, whatever the spelling', () => {
  for (const to of ['https://b.test/', '//b.test/', 'https://a.test:444/', 'https://a.test.b.test/', '\\\\b.test/'])
    expect(() => next('https://a.test/', to, 'configured')).toThrow(/is not followed/);
});
