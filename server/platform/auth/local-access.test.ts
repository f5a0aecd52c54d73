import { describe, expect, it } from 'vitest';
import { ForbiddenError } from '#server/core/errors';
import { requireLocal, whyNotLocal } from '#server/platform/auth/local-access';

const check = (headers: Record<string, string>) => () => requireLocal(new Headers(headers));

describe('local mode', () => {
  it.each([
    [{ host: 'localhost:3000' }],
    [{ host: 'LOCALHOST' }],
    [{ host: '127.0.0.1:3000', origin: 'http://127.0.0.1:3000' }],
    [{ host: '[::1]:3000', origin: 'http://[::1]:3000', 'sec-fetch-site': 'same-origin' }],
    [{ host: 'localhost:3000', 'sec-fetch-site': 'none' }],
  ])('admits %o', (headers) => {
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

describe('a request in local mode', () => {
  const local = { host: 'localhost:3000' };
  const why = (headers: Record<string, string>, httpVersion = '1.1') => whyNotLocal({ headers, httpVersion });

  it('is from this machine with what browsers and programs send', () => {
    const usual = {
      accept: '*/*',
      origin: 'http://localhost:3000',
      'sec-fetch-site': 'same-origin',
      'x-request-id': '1',
    };
    const sent = { ...local, ...usual, connection: 'keep-alive', traceparent: '00-1-1-01', 'x-client-version': '2' };
    expect(why(sent)).toBeNull();
  });

  const ofProxies = `
    forwarded via x-forwarded-for x-forwarded-host x-forwarded-proto x-forwarded-anything
    x-original-forwarded-for x-real-ip x-client-ip true-client-ip cf-connecting-ip cf-ray cdn-loop
    fly-client-ip x-azure-clientip x-amzn-trace-id tailscale-user-login x-vercel-forwarded-for front-end-https
    x-scheme x-host x-url-scheme proxy-client-ip wl-proxy-client-ip
  `;
  it.each(ofProxies.trim().split(/\s+/))('came through a proxy if it has the header %s, with any value', (name) => {
    for (const value of ['203.0.113.7', '127.0.0.1', ''])
      expect(why({ ...local, [name]: value })).toMatch(new RegExp(`"${name}".*AUTH_MODE=accounts`));
  });

  it('is refused after a proxy that adds no headers, like nginx by default', () => {
    expect(why(local, '1.0')).toMatch(/HTTP\/1\.0.*AUTH_MODE=accounts/);
  });

  it.each([
    ['referer', { referer: 'https://site.test/c/ses_1', 'sec-fetch-site': 'same-origin' }],
    ['referer', { referer: 'http://site.test/' }],
  ])('comes from a page of another host, as through a hidden proxy: %s of %o', (name, headers) => {
    expect(why({ ...local, ...(headers as Record<string, string>) })).toMatch(
      new RegExp(`"${name}".*AUTH_MODE=accounts`),
    );
  });

  it.each([
    { referer: 'http://localhost:3000/c/ses_1', 'sec-fetch-site': 'same-origin' },
    { referer: 'http://127.0.0.1:3000/' },
    { referer: 'http://[::1]:3000/' },
    { referer: 'http://localhost:4000/', 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' },
    { referer: 'https://forum.test/', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
    { referer: 'no address' },
  ])('is from the browser of this machine, also by a link from elsewhere: %o', (headers) => {
    expect(why({ ...local, ...(headers as Record<string, string>) })).toBeNull();
    expect(why({ host: '127.0.0.1:3000', ...(headers as Record<string, string>) })).toBeNull();
  });

  it.each([{}, { host: 'site.test' }, { host: '127.0.0.1.site.test' }, { host: '[' }])(
    'names this machine, not %o',
    (headers) => {
      expect(why(headers as Record<string, string>)).toMatch(/only requests to localhost.*AUTH_MODE=accounts/);
    },
  );
});
