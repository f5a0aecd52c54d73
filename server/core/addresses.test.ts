import { describe, expect, it } from 'vitest';
import { addressProblem } from '#server/core/addresses';
import { hostHeadersOf, parseOrigins } from '#server/core/origins';
import { safeNext, signInPath } from '#server/core/sign-in-paths';

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
  ])('%s is replaced with the start page', (next) => {
    expect(safeNext(next)).toBe('/');
  });

  it('the link to sign-in contains the return path', () => {
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

describe('an address that is entered', () => {
  const uses = ['link', 'textLink', 'page', 'picture', 'redirect'] as const;

  it.each([
    'https://[',
    'http://a%b',
    'https://a.example:99999/',
    'http://%00/',
    'https://[::1',
    'http://?',
    'https:///x',
    '//else.example',
    '/\\else.example',
    'javascript:alert(1)',
    'https://a b.example',
    '',
  ])('%j is refused for every use', (address) => {
    for (const use of uses) expect(addressProblem(address, use), use).toMatch(/^must /);
  });

  it.each([
    ['/pricing?x=[1]#[', [...uses]],
    ['https://[::1]:8080/a%b', ['link', 'textLink', 'picture', 'redirect']],
    ['https://köln.example/straße', ['link', 'textLink', 'picture', 'redirect']],
    ['#plans', ['link', 'textLink']],
    ['mailto:a@b.example', ['link', 'textLink']],
    ['tel:+49', ['textLink']],
  ])('%s is taken for %j only', (address, taken) => {
    expect(uses.filter((use) => addressProblem(address, use) === null)).toEqual(taken);
  });
});
