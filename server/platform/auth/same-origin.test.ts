import { describe, expect, it } from 'vitest';
import { requireSameOrigin } from '#server/platform/auth/same-origin';
import { ForbiddenError } from '#server/core/errors';

const OURS = 'https://cms.example';
const check = (method: string, headers: Record<string, string>) => () =>
  requireSameOrigin({ method, headers: new Headers(headers) }, OURS);

describe('a request with a cookie', () => {
  it.each([
    ['POST', { origin: OURS, 'sec-fetch-site': 'same-origin' }],
    ['POST', { origin: OURS }],
    ['DELETE', { 'sec-fetch-site': 'same-origin' }],
    ['GET', { 'sec-fetch-site': 'same-origin' }],
    ['GET', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
    ['GET', {}],
    // A link that leads to us.
    ['GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
  ])('is admitted: %s %o', (method, headers: Record<string, string>) => {
    expect(check(method, headers)).not.toThrow();
  });

  it.each([
    ['POST', {}],
    ['PUT', {}],
    ['PATCH', {}],
    ['DELETE', {}],
    ['POST', { origin: 'null' }],
    ['POST', { origin: 'http://cms.example' }],
    ['POST', { origin: 'https://cms.example:8443' }],
    ['POST', { origin: 'https://cms.example.evil.test' }],
    ['POST', { origin: 'https://blog.cms.example', 'sec-fetch-site': 'same-site' }],
    ['POST', { 'sec-fetch-site': 'cross-site' }],
    ['POST', { origin: OURS, 'sec-fetch-site': 'cross-site' }],
    ['POST', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
    ['GET', { origin: 'https://evil.test' }],
    ['GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }],
    ['GET', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }],
  ])('is kept out: %s %o', (method, headers: Record<string, string>) => {
    expect(check(method, headers)).toThrow(ForbiddenError);
  });

  it('without an origin is refused with advice', () => {
    expect(check('POST', {})).toThrow(`send the header "Origin: ${OURS}"`);
  });
});
