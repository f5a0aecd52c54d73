import { describe, expect, it } from 'vitest';
import { ForbiddenError } from '#server/core/errors';
import { requireLocal } from '#server/auth/local-access';

const check = (headers: Record<string, string>) => () => requireLocal(new Headers(headers));

describe('local mode', () => {
  it.each([
    [{ host: 'localhost:3000' }],
    [{ host: 'LOCALHOST' }],
    [{ host: '127.0.0.1:3000', origin: 'http://127.0.0.1:3000' }],
    [{ host: '[::1]:3000', origin: 'http://[::1]:3000', 'sec-fetch-site': 'same-origin' }],
    [{ host: 'localhost:3000', 'sec-fetch-site': 'none' }],
  ])('lets %o in', (headers) => {
    expect(check(headers)).not.toThrow();
  });

  it.each([
    [{}],
    [{ host: 'site.test' }],
    [{ host: 'localhost.site.test' }],
    [{ host: '127.0.0.1.site.test:3000' }],
    [{ host: 'site.test', 'x-forwarded-host': 'localhost:3000', forwarded: 'host=localhost' }],
    [{ host: 'localhost:3000', origin: 'http://site.test' }],
    [{ host: 'localhost:3000', origin: 'http://localhost:4000' }],
    [{ host: 'localhost:3000', origin: 'null' }],
    [{ host: 'localhost:3000', 'sec-fetch-site': 'same-site' }],
    [{ host: 'localhost:3000', 'sec-fetch-site': 'cross-site' }],
  ])('keeps %o out', (headers: Record<string, string>) => {
    expect(check(headers)).toThrow(ForbiddenError);
  });
});
