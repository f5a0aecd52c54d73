import useSWR from 'swr';
import { accessStrings } from '#components/access/words';
import { api, createApiClient } from '#components/api/api-client';
import { issuesOf, messageOf } from '#components/api/api-error';
import { forgetDrafts } from '#components/chat/session/drafts';
import { forgetAllUnsaved } from '#components/desk/unsaved-texts';
import { LOGIN_PATH } from '#server/core/addresses';
import type { ApiKey, KeyChoice, Me, NewApiKey, OwnedApiKey, PasswordLink, Person, Role } from '#server/core/people';

export interface NewPerson {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** Without a password they are invited, and choose one. */
export type InvitedPerson = Omit<NewPerson, 'password'> & { readonly role: Role; readonly password?: string };

export interface PersonChanges {
  readonly name?: string;
  readonly role?: Role;
  readonly banned?: boolean;
  readonly password?: string;
  readonly apiKeys?: KeyChoice;
}

export interface MeChanges {
  readonly name: string;
  readonly password?: { readonly current: string; readonly next: string; readonly apiKeys: KeyChoice };
}

/** Addresses that SWR caches by. */
export const accessPaths = { me: '/api/auth/me', people: '/api/users', signIns: '/api/auth/sign-ins' };

/** At the door a refusal is an answer, not a reason to go there. */
const door = createApiClient();

/** Signing in and out, and who may. */
export const access = {
  signIn: (email: string, password: string) => door.json<Person>('POST', '/api/auth/sign-in', { email, password }),
  /** Signs out, and leaves the page with nothing unsent left for who comes next. */
  leave: async ({ everywhere = false } = {}) => {
    await door.json<undefined>('POST', '/api/auth/sign-out', { everywhere });
    forgetDrafts();
    forgetAllUnsaved();
    window.location.assign(LOGIN_PATH);
  },
  /** Makes the first account, with the code from the server's log. */
  createOwner: (owner: NewPerson & { readonly code: string }) => door.json<Person>('POST', '/api/auth/owner', owner),
  /** Mails a link for a new password to this address, if somebody has it. */
  forgotten: (email: string) => door.json<undefined>('POST', '/api/auth/forgotten', { email }),
  /** Chooses a password with a link. */
  choosePassword: (token: string, password: string) =>
    door.json<Person>('POST', '/api/auth/new-password', { token, password }),
  changeMe: (changes: MeChanges) => api.json<Me>('PATCH', accessPaths.me, changes),
  addPerson: (person: InvitedPerson) => api.json<Person>('POST', accessPaths.people, person),
  changePerson: (id: string, changes: PersonChanges) =>
    api.json<Person>('PATCH', `${accessPaths.people}/${id}`, changes),
  /** Makes and mails the link with which they choose a password. */
  sendLink: (id: string) => api.json<PasswordLink>('POST', `${accessPaths.people}/${id}/link`),
  removePerson: (id: string) => api.json<undefined>('DELETE', `${accessPaths.people}/${id}`),
};

/** Why a form about people or keys was refused. The problems of single fields say more than the message about all. */
export function accessProblem(error: unknown): string {
  const issues = issuesOf(error) as readonly Parameters<typeof accessStrings.refused>[0][];
  return issues.length === 0 ? messageOf(error) : issues.map(accessStrings.refused).join(' ');
}

/** The signed-in caller; undefined until known. */
export function useMe(): Me | undefined {
  return useSWR<Me, Error>(accessPaths.me).data;
}

/** True if the signed-in person may change drafts, which everybody may; false while it is not known who that is. */
export function useMayDraft(): boolean {
  return useMe() !== undefined;
}

/** True if the signed-in person may change what visitors see, unlike an author; false while that is not known. */
export function useMayPublish(): boolean {
  const me = useMe();
  return me !== undefined && me.role !== 'author';
}

/** Addresses that SWR caches by. */
export const keyPaths = { own: '/api/keys', all: '/api/keys?all=1' };

export interface ApiKeyList {
  readonly items: readonly OwnedApiKey[];
}

export interface CreatedApiKey {
  /** The key itself, this one time. */
  readonly key: string;
  readonly apiKey: ApiKey;
}

/** API keys. */
export const keys = {
  create: (key: NewApiKey) => api.json<CreatedApiKey>('POST', keyPaths.own, key),
  revoke: (id: string) => api.json<undefined>('DELETE', `${keyPaths.own}/${id}`),
};
