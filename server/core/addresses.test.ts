import { describe, expect, it } from 'vitest';
import { hostHeadersOf, parseOrigins, safeNext, signInPath } from '#server/core/addresses';

describe('after signing in', () => {
  it.each(['/', '/c/ses_a', '/admin?q=a%20b#c', '/library/media?picture=ast_a'])('%s is a page of ours', (next) => {
    expect(safeNext(next)).toBe(next);
  });

  it.each([
    undefined,
    '',
    'admin',
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/\t/evil.example/',
    '/..//evil.example/',
    '/.//evil.example',
    'javascript:alert(1)',
    '/login',
    '/login?next=/login',
    '/api/auth/sign-out',
    '/v1/models',
  ])('%s leads to the start instead', (next) => {
    expect(safeNext(next)).toBe('/');
  });

  it('the way there says where to come back to', () => {
    expect(signInPath('/')).toBe('/login');
    expect(signInPath('/c/a?b=c')).toBe('/login?next=%2Fc%2Fa%3Fb%3Dc');
  });
});

describe('parseOrigins', () => {
  it('reads origins, each once, as browsers write them', () => {
    expect(parseOrigins('')).toEqual([]);
    expect(parseOrigins(' https://Media.Example , http://127.0.0.1:8080/,https://media.example:443')).toEqual([
      'https://media.example',
      'http://127.0.0.1:8080',
    ]);
  });

  it.each([
    'media.example',
    'https://',
    'https://media.example/images',
    'https://*.example',
    'https://user:word@media.example',
    'javascript:alert(1)',
    'data:',
    "https://a.example; script-src 'unsafe-inline'",
    'https://a.example https://b.example',
  ])('refuses %s', (text) => expect(parseOrigins(`https://good.example,${text}`)).toBeNull());
});

it.each([
  ['https://cms.example', ['cms.example', 'cms.example:443']],
  ['http://CMS.example/', ['cms.example', 'cms.example:80']],
  ['http://localhost:3000', ['localhost:3000']],
  ['https://cms.example:80', ['cms.example:80']],
])('%s is asked for as %j', (address, headers) => expect(hostHeadersOf(address)).toEqual(headers));
