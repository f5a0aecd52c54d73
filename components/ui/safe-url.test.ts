import { describe, expect, it } from 'vitest';
import { hostOf, linkTarget, safeImage } from '#components/ui/safe-url.ts';

const trusted = { own: 'http://localhost:3000', allowed: ['https://media.example'] };
const NO_WEB_ADDRESSES = [
  'javascript:alert(1)',
  ' JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,x',
  'data:image/png;base64,x',
  'blob:http://localhost:3000/x',
  'file:///etc/passwd',
  'vbscript:x',
  'mailto:me@example.org',
  'https://',
  undefined,
];
/** Addresses that browsers resolve to another origin, although they look local. */
const ELSEWHERE = [
  'https://evil.example/?q=secret',
  '//evil.example/a.png',
  '\\\\evil.example\\a.png',
  '/\\evil.example/a.png',
  'https:\\\\evil.example',
  'http://localhost:3000@evil.example/',
  'https://media.example.evil.example/',
  'https://media.example@evil.example/',
  'http://media.example/',
  'https://media.example:8443/',
  'http://LOCALHOST:3001/',
];

describe('linkTarget', () => {
  it('leaves addresses of this origin and the allowed origins unchanged', () => {
    for (const url of ['/preview/about', '#top', 'about', 'http://localhost:3000/a', 'https://MEDIA.example/a?b=c']) {
      expect(linkTarget(url, trusted)).toEqual({ href: url, externalHost: null, carried: 0 });
    }
  });

  it('names the host of any other', () => {
    for (const url of ELSEWHERE) {
      const target = linkTarget(url, trusted);
      expect(target?.externalHost, url).toBe(new URL(target?.href ?? '').host);
    }
    expect(linkTarget('//evil.example/a', trusted)).toMatchObject({
      href: 'http://evil.example/a',
      externalHost: 'evil.example',
    });
  });

  it('counts the characters that an address could leak', () => {
    const carried = (url: string) => linkTarget(url, trusted)?.carried;
    expect(carried('https://evil.example/about/team')).toBe(0);
    expect(carried('https://evil.example/?q=secret#more')).toBe(12);
    expect(carried(`https://evil.example/${'x'.repeat(200)}`)).toBe(200);
  });

  it('refuses everything that is not a web address', () => {
    for (const url of NO_WEB_ADDRESSES) expect(linkTarget(url, trusted), url).toBeNull();
  });
});

describe('safeImage', () => {
  it('shows images of this origin and the allowed ones only', () => {
    for (const url of ['/media/a.png', 'http://localhost:3000/a.png', 'https://media.example/a.png']) {
      expect(safeImage(url, trusted)).toBe(url);
    }
    for (const url of [...ELSEWHERE, ...NO_WEB_ADDRESSES]) expect(safeImage(url, trusted), url).toBeNull();
  });
});

describe('hostOf', () => {
  it('is what a person should read', () => {
    expect(hostOf('https://evil.example:8443/a')).toBe('evil.example:8443');
    expect(hostOf('/a')).toBeNull();
    expect(hostOf('data:image/png;base64,x')).toBeNull();
    expect(hostOf(undefined)).toBeNull();
  });
});
