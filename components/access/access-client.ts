import { api, createApiClient } from '#components/api/api-client.ts';
import { notifyOtherTabs } from '#components/api/sign-in-again.ts';
import { forgetDrafts } from '#components/chat/session/drafts.ts';
import { removeAllUnsaved } from '#components/workspace/unsaved-texts.ts';
import { LOGIN_PATH } from '#server/core/sign-in-paths';
import type { LanguageCode } from '#server/core/languages';
import type { KeyChoice } from '#server/core/admin/api-keys';
import type { Me, NewTotp, Passkey, PasswordLink, Person, SignedIn } from '#server/core/admin/people';
import type { Erasure } from '#server/core/admin/personal-data';
import type { Role } from '#server/core/admin/access-rights';
import useSWR from 'swr';

interface NewPerson {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** A person without a password is invited and chooses one. */
type InvitedPerson = Omit<NewPerson, 'password'> & {
  readonly role: Role;
  readonly password?: string;
  readonly sites: readonly string[] | null;
};

/** Changes to an account by an administrator. */
interface PersonChanges {
  readonly name?: string;
  readonly role?: Role;
  readonly banned?: boolean;
  readonly password?: string;
  readonly secondFactor?: 'remove';
  readonly apiKeys?: KeyChoice;
  /** Ids; null means all. */
  readonly sites?: readonly string[] | null;
}

/** Changes by the signed-in person to their own account. */
interface MeChanges {
  readonly name?: string;
  /** Null: the language of the browser. */
  readonly language?: LanguageCode | null;
  readonly password?: { readonly current: string; readonly next: string; readonly apiKeys: KeyChoice };
}

/** API paths that are also the SWR cache keys. */
export const accessPaths = {
  me: '/api/auth/me',
  people: '/api/users',
  personalData: '/api/personal-data',
  signIns: '/api/auth/sign-ins',
  factors: '/api/auth/factors',
};

/** Client for requests before sign-in: a refusal is an ordinary answer there and must not open the sign-in dialog. */
const unauthenticatedApi = createApiClient();

/**
 * Removes what this browser keeps for the signed-in person: unsent messages, unsaved texts, and the site and page of
 * this tab.
 */
export function forgetPerson(): void {
  forgetDrafts();
  removeAllUnsaved();
  window.sessionStorage.clear();
}

/** Requests for signing in and out, and for the accounts of people. All throw ApiError on a refusal. */
export const access = {
  /** Checks the password; the answer says whether a code is required too. */
  signIn: (email: string, password: string) =>
    unauthenticatedApi.json<SignedIn>('POST', '/api/auth/sign-in', { email, password }),
  /** Redirects to the OpenID Connect provider, which redirects back to `next`. */
  leaveForProvider: async (next: string, isAfresh = false) => {
    const { url } = await unauthenticatedApi.json<{ readonly url: string }>('POST', '/api/auth/sign-in/oidc', {
      next,
      isAfresh,
    });
    window.location.assign(url);
  },
  /** Confirms the identity of the signed-in person with a code of their app. */
  confirmWithCode: (code: string) => api.json<undefined>('POST', '/api/auth/confirm', { code }),
  /** Second step after a correct password, if a code is required. `isRecovery`: it is a recovery code. */
  signInWithCode: (code: string, isRecovery: boolean) =>
    unauthenticatedApi.json<Person>('POST', '/api/auth/sign-in/code', { code, isRecovery }),
  /** Requests a passkey from the device. @throws Error if its owner cancelled */
  signInWithPasskey: async () => {
    const { startAuthentication } = await import('@simplewebauthn/browser');
    const optionsJSON = await unauthenticatedApi.json<never>('POST', '/api/auth/sign-in/passkey-options');
    const answer = await startAuthentication({ optionsJSON }).catch(throwPasskeyProblem);
    return unauthenticatedApi.json<Person>('POST', '/api/auth/sign-in/passkey', { answer });
  },
  /** Creates a passkey on the device. */
  addPasskey: async (name: string) => {
    const { startRegistration } = await import('@simplewebauthn/browser');
    const optionsJSON = await api.json<never>('POST', `${accessPaths.factors}/passkey-options`);
    const answer = await startRegistration({ optionsJSON }).catch(throwPasskeyProblem);
    return api.json<Passkey>('POST', `${accessPaths.factors}/passkeys`, { name, answer });
  },
  removePasskey: (id: string) => api.json<undefined>('DELETE', `${accessPaths.factors}/passkeys/${id}`),
  /** Creates a key for one-time codes and recovery codes; they take effect with `confirmTotp`. */
  beginTotp: (password: string) => api.json<NewTotp>('POST', `${accessPaths.factors}/totp`, { password }),
  confirmTotp: (code: string) => api.json<undefined>('POST', `${accessPaths.factors}/totp/confirm`, { code }),
  endTotp: (password: string) => api.json<undefined>('DELETE', `${accessPaths.factors}/totp`, { password }),
  /** Signs out and leaves the page, without unsent text for the next person at this browser. */
  leave: async ({ everywhere = false } = {}) => {
    await unauthenticatedApi.json<undefined>('POST', '/api/auth/sign-out', { everywhere });
    forgetPerson();
    notifyOtherTabs();
    window.location.assign(LOGIN_PATH);
  },
  /** Creates the first account, with the code from the server's log. */
  createOwner: (owner: NewPerson & { readonly code: string }) =>
    unauthenticatedApi.json<Person>('POST', '/api/auth/owner', owner),
  /** Mails a password reset link to this address, if it has an account. */
  forgotten: (email: string) => unauthenticatedApi.json<undefined>('POST', '/api/auth/forgotten', { email }),
  /** Sets a password with the token of a link. */
  choosePassword: (token: string, password: string) =>
    unauthenticatedApi.json<Person>('POST', '/api/auth/new-password', { token, password }),
  changeMe: (changes: MeChanges) => api.json<Me>('PATCH', accessPaths.me, changes),
  addPerson: (person: InvitedPerson) => api.json<Person>('POST', accessPaths.people, person),
  changePerson: (id: string, changes: PersonChanges) =>
    api.json<Person>('PATCH', `${accessPaths.people}/${id}`, changes),
  /** Creates the link with which a person chooses a password, and mails it if the server can. */
  sendLink: (id: string) => api.json<PasswordLink>('POST', `${accessPaths.people}/${id}/link`),
  /** Erases everything about a person; with `dryRun` it only lists it. */
  erasePerson: (email: string, dryRun: boolean) =>
    api.json<Erasure>('POST', `${accessPaths.personalData}/erase`, { email, dryRun }),
  /** Address of the JSON file with everything about a person. */
  personalDataFile: (email: string) => `${accessPaths.personalData}?${new URLSearchParams({ email }).toString()}`,
  removePerson: (id: string) => api.json<undefined>('DELETE', `${accessPaths.people}/${id}`),
};

/** Rethrows a browser's passkey error with a message for users. */
async function throwPasskeyProblem(error: unknown): Promise<never> {
  const { passkeyKnown, passkeyStopped } = (await import('#components/access/words.ts')).accessStrings.factors;
  const isKnown = error instanceof Error && error.name === 'InvalidStateError';
  throw new Error(isKnown ? passkeyKnown : passkeyStopped, { cause: error });
}

/** The signed-in caller; undefined while loading. */
export function useMe(): Me | undefined {
  return useSWR<Me, Error>(accessPaths.me).data;
}

/** True if the person is signed in: everybody who is may change drafts. False while loading. */
export function useMayDraft(): boolean {
  return useMe() !== undefined;
}

/** True if the signed-in person may change what visitors see (authors may not); false while loading. */
export function useMayPublish(): boolean {
  const me = useMe();
  return me !== undefined && me.role !== 'author';
}
