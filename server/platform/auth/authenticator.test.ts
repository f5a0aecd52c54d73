import { describe, expect, it } from 'vitest';
import { createAuthenticator } from '#server/platform/auth/authenticator';
import { ForbiddenError, UnauthenticatedError } from '#server/core/errors';
import { LOCAL_OWNER, type Principal, scopesOfRole } from '#server/core/admin/access-rights';

const OURS = 'https://cms.example';
const KEY = 'tl_good';
const program: Principal = {
  kind: 'key',
  userId: 'usr_1',
  name: 'Sync',
  scopes: ['chat'],
  keyId: 'key_1',
  sites: null,
};
const person: Principal = {
  kind: 'user',
  userId: 'usr_1',
  name: 'Ada',
  scopes: scopesOfRole.editor,
  keyId: null,
  sites: null,
};
const keys = {
  find: async (key: string) => {
    if (key === KEY) return program;
    throw new UnauthenticatedError('no');
  },
};
const accounts = {
  origin: OURS,
  signedIn: async (headers: Headers) => (headers.get('cookie') === 'signed=in' ? person : null),
};
const ask = (isLocal: boolean, headers: Record<string, string>, method = 'GET') =>
  createAuthenticator({ accounts: isLocal ? null : accounts, keys }).authenticate({
    method,
    headers: new Headers(headers),
  });

describe('in local mode', () => {
  const host = 'localhost:3000';

  it('a user of the machine is its owner', async () => {
    expect(await ask(true, { host })).toMatchObject({ kind: 'local', userId: LOCAL_OWNER, scopes: ['admin'] });
  });

  it('a key may do what it says and no more, and one that is not valid nothing', async () => {
    expect(await ask(true, { host, authorization: `Bearer ${KEY}` })).toBe(program);
    await expect(ask(true, { host, authorization: 'Bearer tl_bad' })).rejects.toThrow(UnauthenticatedError);
  });

  it('the words of clients that must send some say nothing', async () => {
    expect(await ask(true, { host, authorization: 'Bearer lm-studio' })).toMatchObject({ kind: 'local' });
  });

  it('other machines have no access, with or without a key', async () => {
    const authorization = `Bearer ${KEY}`;
    await expect(ask(true, { host: 'cms.example', authorization })).rejects.toThrow(ForbiddenError);
    await expect(ask(true, { host, origin: 'https://evil.test' })).rejects.toThrow(ForbiddenError);
  });
});

describe('with accounts', () => {
  const cookie = 'signed=in';

  it('a cookie identifies a signed-in person, on a page of ours', async () => {
    expect(await ask(false, { cookie, origin: OURS }, 'POST')).toBe(person);
    await expect(ask(false, { cookie, origin: 'https://evil.test' }, 'POST')).rejects.toThrow(ForbiddenError);
    await expect(ask(false, { cookie }, 'POST')).rejects.toThrow(ForbiddenError);
  });

  it('access is refused without one, for any host name', async () => {
    await expect(ask(false, { host: 'localhost:3000' })).rejects.toThrow(UnauthenticatedError);
    await expect(ask(false, { cookie: 'signed=out' })).rejects.toThrow(UnauthenticatedError);
    await expect(ask(false, {}, 'POST')).rejects.toThrow(UnauthenticatedError);
  });

  it('a key goes before a cookie, also a bad one, and needs no page that it comes from', async () => {
    expect(await ask(false, { cookie, authorization: `bearer ${KEY}` }, 'POST')).toBe(program);
    for (const word of ['tl_bad', 'lm-studio']) {
      const bad = ask(false, { cookie, origin: OURS, authorization: `Bearer ${word}` });
      await expect(bad).rejects.toThrow(UnauthenticatedError);
    }
  });
});
