import { expect, it } from 'vitest';
import { actorOf, requestOrigin } from '#server/http/request-origin';

const from = (headers: Record<string, string>) => actorOf(new Request('http://localhost/', { headers }));

it('attributes only requests of our own page to the user', () => {
  expect(from({ 'sec-fetch-site': 'same-origin' })).toBe('user');
  expect(from({ 'sec-fetch-site': 'none' })).toBe('api');
  expect(from({ 'sec-fetch-site': 'cross-site' })).toBe('api');
  expect(from({})).toBe('api');
});

const origin = (headers: Record<string, string>) => requestOrigin(new Headers(headers));

it('requestOrigin is where the visitor was, and nothing that a header made up', () => {
  expect(origin({ host: 'kiln.example' })).toBe('http://kiln.example');
  expect(origin({ host: 'localhost:3000', 'x-forwarded-proto': 'javascript' })).toBe('http://localhost:3000');
  expect(origin({ host: 'kiln.example', 'x-forwarded-proto': 'https' })).toBe('https://kiln.example');
  expect(origin({ host: 'kiln.example/evil?x=' })).toBe('http://kiln.example');
  expect(origin({})).toBeNull();
});
