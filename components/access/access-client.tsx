import { api, createApiClient } from '#components/api/api-client';
import { tellOtherTabs } from '#components/api/sign-in-again';
import { forgetDrafts } from '#components/chat/session/drafts';
import { forgetAllUnsaved } from '#components/desk/unsaved-texts';
import { LOGIN_PATH } from '#server/core/addresses';
import type { LanguageCode } from '#server/core/languages';
import type { KeyChoice, Me, NewTotp, Passkey, PasswordLink, Person, SignedIn } from '#server/core/people';
import type { Role } from '#server/core/access-rights';
import useSWR from 'swr';

interface NewPerson {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** Without a password they are invited, and choose one. */
type InvitedPerson = Omit<NewPerson, 'password'> & {
  readonly role: Role;
  readonly password?: string;
  readonly sites: readonly string[] | null;
};

interface PersonChanges {
  readonly name?: string;
  readonly role?: Role;
  readonly banned?: boolean;
  readonly password?: string;
  readonly secondFactor?: 'remove';
  readonly apiKeys?: KeyChoice;
  /** Ids; null: all. */
  readonly sites?: readonly string[] | null;
}

interface MeChanges {
  readonly name?: string;
  /** Null: as the browser asks. */
  readonly language?: LanguageCode | null;
  readonly password?: { readonly current: string; readonly next: string; readonly apiKeys: KeyChoice };
}

/** Addresses that SWR caches by. */
export const accessPaths = {
  me: '/api/auth/me',
  people: '/api/users',
  signIns: '/api/auth/sign-ins',
  factors: '/api/auth/factors',
};

/** For requests before the sign-in: a refusal there is an answer, and leads nobody to the sign-in. */
const door = createApiClient();

/** Forgets in this browser what somebody has written, and which site and page this tab showed. */
export function forgetPerson(): void {
  forgetDrafts();
  forgetAllUnsaved();
  window.sessionStorage.clear();
}

/** Requests for signing in and out, and for the accounts of people. */
export const access = {
  signIn: (email: string, password: string) => door.json<SignedIn>('POST', '/api/auth/sign-in', { email, password }),
  /** Leaves for the OpenID Connect provider, which leads back to `next`. */
  leaveForProvider: async (next: string, isAfresh = false) => {
    const { url } = await door.json<{ readonly url: string }>('POST', '/api/auth/sign-in/oidc', { next, isAfresh });
    window.location.assign(url);
  },
  /** After a right password, where a code is asked for, too. */
  signInWithCode: (code: string, isRecovery: boolean) =>
    door.json<Person>('POST', '/api/auth/sign-in/code', { code, isRecovery }),
  /** Asks the device for a passkey. @throws Error where its owner has let it be */
  signInWithPasskey: async () => {
    const { startAuthentication } = await import('@simplewebauthn/browser');
    const optionsJSON = await door.json<never>('POST', '/api/auth/sign-in/passkey-options');
    const answer = await startAuthentication({ optionsJSON }).catch(passkeyProblem);
    return door.json<Person>('POST', '/api/auth/sign-in/passkey', { answer });
  },
  /** Has the device make a passkey. */
  addPasskey: async (name: string) => {
    const { startRegistration } = await import('@simplewebauthn/browser');
    const optionsJSON = await api.json<never>('POST', `${accessPaths.factors}/passkey-options`);
    const answer = await startRegistration({ optionsJSON }).catch(passkeyProblem);
    return api.json<Passkey>('POST', `${accessPaths.factors}/passkeys`, { name, answer });
  },
  removePasskey: (id: string) => api.json<undefined>('DELETE', `${accessPaths.factors}/passkeys/${id}`),
  beginTotp: (password: string) => api.json<NewTotp>('POST', `${accessPaths.factors}/totp`, { password }),
  confirmTotp: (code: string) => api.json<undefined>('POST', `${accessPaths.factors}/totp/confirm`, { code }),
  endTotp: (password: string) => api.json<undefined>('DELETE', `${accessPaths.factors}/totp`, { password }),
  /** Signs out, and leaves the page with nothing unsent left for who comes next. */
  leave: async ({ everywhere = false } = {}) => {
    await door.json<undefined>('POST', '/api/auth/sign-out', { everywhere });
    forgetPerson();
    tellOtherTabs();
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

/** Rethrows a browser's refusal in words for users, not programmers. */
async function passkeyProblem(error: unknown): Promise<never> {
  const { passkeyKnown, passkeyStopped } = (await import('#components/access/words')).accessStrings.factors;
  const isKnown = error instanceof Error && error.name === 'InvalidStateError';
  throw new Error(isKnown ? passkeyKnown : passkeyStopped, { cause: error });
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
