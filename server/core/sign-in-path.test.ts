import { describe, expect, it } from 'vitest';
import { safeNext, signInPath } from '#server/core/addresses';

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
