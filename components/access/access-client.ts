import type {
  PublicKeyCredentialRequestOptionsJSON,
  PublicKeyCredentialCreationOptionsJSON,
} from '@simplewebauthn/browser';
import { api, createApiClient } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import type { Body } from '#components/api/routes.ts';
import { useApi } from '#components/api/use-api.ts';
import { notifyOtherTabs } from '#components/api/sign-in-again.ts';
import { forgetDrafts } from '#components/chat/session/drafts.ts';
import { removeAllUnsaved } from '#components/workspace/unsaved-texts.ts';
import { LOGIN_PATH } from '#server/core/sign-in-paths';
import type { Me } from '#server/core/admin/people';
import { translator } from '#components/i18n.ts';

const t = translator('access.factors');

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
    unauthenticatedApi.request('POST', '/api/auth/sign-in', { body: { email, password } }),
  /** Redirects to the OpenID Connect provider, which redirects back to `next`. */
  leaveForProvider: async (next: string, isAfresh = false) => {
    const { url } = await unauthenticatedApi.request('POST', '/api/auth/sign-in/oidc', { body: { next, isAfresh } });
    window.location.assign(url);
  },
  /** Confirms the identity of the signed-in person with a code of their app. */
  confirmWithCode: (code: string) => api.request('POST', '/api/auth/confirm', { body: { code } }),
  /** Second step after a correct password, if a code is required. `isRecovery`: it is a recovery code. */
  signInWithCode: (code: string, isRecovery: boolean) =>
    unauthenticatedApi.request('POST', '/api/auth/sign-in/code', { body: { code, isRecovery } }),
  /** Requests a passkey from the device. @throws Error if its owner cancelled */
  signInWithPasskey: async () => {
    const { startAuthentication } = await import('@simplewebauthn/browser');
    const options = await unauthenticatedApi.request('POST', '/api/auth/sign-in/passkey-options');
    // The options are better-auth's, for this function.
    const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
    const answer = await startAuthentication({ optionsJSON }).catch(throwPasskeyProblem);
    return unauthenticatedApi.request('POST', '/api/auth/sign-in/passkey', { body: { answer: sentPasskey(answer) } });
  },
  /** Creates a passkey on the device. */
  addPasskey: async (name: string) => {
    const { startRegistration } = await import('@simplewebauthn/browser');
    const options = await api.request('POST', '/api/auth/factors/passkey-options');
    const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
    const answer = await startRegistration({ optionsJSON }).catch(throwPasskeyProblem);
    return api.request('POST', '/api/auth/factors/passkeys', { body: { name, answer: sentPasskey(answer) } });
  },
  removePasskey: (id: string) => api.request('DELETE', '/api/auth/factors/passkeys/{id}', { params: { id } }),
  /** Creates a key for one-time codes and recovery codes; they take effect with `confirmTotp`. */
  beginTotp: (password: string) => api.request('POST', '/api/auth/factors/totp', { body: { password } }),
  confirmTotp: (code: string) => api.request('POST', '/api/auth/factors/totp/confirm', { body: { code } }),
  endTotp: (password: string) => api.request('DELETE', '/api/auth/factors/totp', { body: { password } }),
  /** Signs out and leaves the page, without unsent text for the next person at this browser. */
  leave: async ({ everywhere = false } = {}) => {
    await unauthenticatedApi.request('POST', '/api/auth/sign-out', { body: { everywhere } });
    forgetPerson();
    notifyOtherTabs();
    window.location.assign(LOGIN_PATH);
  },
  /** Creates the first account, with the code from the server's log. */
  createOwner: (body: Body<'POST', '/api/auth/owner'>) =>
    unauthenticatedApi.request('POST', '/api/auth/owner', { body }),
  /** Mails a password reset link to this address, if it has an account. */
  forgotten: (email: string) => unauthenticatedApi.request('POST', '/api/auth/forgotten', { body: { email } }),
  /** Sets a password with the token of a link. */
  choosePassword: (token: string, password: string) =>
    unauthenticatedApi.request('POST', '/api/auth/new-password', { body: { token, password } }),
  /** Connects a program to `/mcp`, or refuses it. */
  decideConsent: (body: Body<'POST', '/api/oauth/consent'>) => api.request('POST', '/api/oauth/consent', { body }),
  changeMe: (body: Body<'PATCH', '/api/auth/me'>) => api.request('PATCH', '/api/auth/me', { body }),
  /** Adds a person. Without a password, they are invited and choose one. */
  addPerson: (body: Body<'POST', '/api/users'>) => api.request('POST', '/api/users', { body }),
  changePerson: (id: string, body: Body<'PATCH', '/api/users/{id}'>) =>
    api.request('PATCH', '/api/users/{id}', { params: { id }, body }),
  /** Creates the link with which a person chooses a password, and mails it if the server can. */
  sendLink: (id: string) => api.request('POST', '/api/users/{id}/link', { params: { id } }),
  /** Erases everything about a person; with `dryRun` it only lists it. */
  erasePerson: (email: string, dryRun: boolean) =>
    api.request('POST', '/api/personal-data/erase', { body: { email, dryRun } }),
  /** Ends a sign-in in another browser. */
  endSignIn: (id: string) => api.request('DELETE', '/api/auth/sign-ins/{id}', { params: { id } }),
  removePerson: (id: string) => api.request('DELETE', '/api/users/{id}', { params: { id } }),
};

/** The answer of a device, without the methods of its type: JSON. */
function sentPasskey(answer: object) {
  return answer as Body<'POST', '/api/auth/sign-in/passkey'>['answer'];
}

/** Rethrows a browser's passkey error with a message for users. */
function throwPasskeyProblem(error: unknown): never {
  const isKnown = error instanceof Error && error.name === 'InvalidStateError';
  throw new Error(isKnown ? t('passkeyKnown') : t('passkeyStopped'), { cause: error });
}

/** The signed-in caller; undefined while loading. */
export function useMe(): Me | undefined {
  return useApi(paths.me).data;
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
