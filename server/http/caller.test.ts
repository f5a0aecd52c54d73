import { expect, it } from 'vitest';
import { actorOf } from '#server/http/caller';

const from = (headers: Record<string, string>) => actorOf(new Request('http://localhost/', { headers }));

it('puts down to the user only what our own page asks for', () => {
  expect(from({ 'sec-fetch-site': 'same-origin' })).toBe('user');
  expect(from({ 'sec-fetch-site': 'none' })).toBe('api');
  expect(from({ 'sec-fetch-site': 'cross-site' })).toBe('api');
  expect(from({})).toBe('api');
});
