import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';
import { boundedRecord } from '#server/core/bounded-schema';
import { EMBEDDED_SITE } from '#server/core/site/content';
import type { JsonObject } from '#server/core/json';
import { languageCodes } from '#server/core/languages';
import { MAX_PASSWORD, MAX_PERSON_NAME, MIN_PASSWORD } from '#server/core/limits';
import { keyChoices } from '#server/core/admin/api-keys';
import { personSchema } from '#server/core/admin/people';
import { LOCAL_OWNER, roles, scopes } from '#server/core/admin/access-rights';
import { atMost } from '#server/core/text/safe-text';
import { components, json } from '#server/core/shapes';
import { hasVisibleText } from '#server/core/text/visible-text';

/* Requests for sign-in, accounts, API keys and personal data. */

/** A display name of at most `max` characters; leading and trailing whitespace is dropped. */
function nameSchema(max: number) {
  return z.string().trim().max(max, atMost(max)).refine(hasVisibleText, valueRules.empty);
}

/** For names of API keys and passkeys, which are shown in lists. */
const MAX_NAME_CHARS = 100;

export const apiKeyParams = z.object({ id: z.string().regex(/^key_[0-9a-z]{26}$/, 'is not the id of an API key') });

/** `all=1`: the keys of all users, for administrators. */
export const apiKeysQuery = z.object({ all: z.literal('1').optional() });

export const createApiKeyBody = z
  .strictObject({
    name: nameSchema(MAX_NAME_CHARS).describe('Display name: the program that will use it'),
    scopes: z
      .array(z.enum(scopes))
      .min(1, valueRules.atLeastOne)
      .max(scopes.length)
      .transform((list) => [...new Set(list)])
      .describe(
        'Rights of the key. `content:draft`: change drafts only; `content:write`: the whole site; `admin`: everything. A key never has more rights than its user',
      ),
    expiresAt: z
      .int()
      .refine((expiry) => expiry > Date.now(), valueRules.future)
      .nullable()
      .default(null)
      .describe('Epoch milliseconds; null: does not expire'),
  })
  .register(components, { id: 'CreateApiKeyBody' });

const email = z
  .email(valueRules.emailForm)
  .max(254, valueRules.tooLong)
  .transform((text) => text.toLowerCase())
  .describe('E-mail address of a person; upper and lower case are the same');
const name = nameSchema(MAX_PERSON_NAME).describe('Display name of the person');
const newPassword = z
  .string()
  .min(MIN_PASSWORD, `must have at least ${MIN_PASSWORD} characters`)
  .max(MAX_PASSWORD, atMost(MAX_PASSWORD))
  .describe('The new password');
/** An existing password, regardless of the rules that applied when it was chosen. */
const knownPassword = z
  .string()
  .min(1, valueRules.empty)
  .max(MAX_PASSWORD, valueRules.tooLong)
  .describe('The present password');

export const personParams = z.object({
  id: z.string().regex(new RegExp(`^(${LOCAL_OWNER}|usr_[0-9a-z]{26})$`), 'is not the id of a user'),
});

export const personalDataQuery = z.object({ email });
/** Erases the personal data of one email address. */
export const eraseBody = z
  .strictObject({
    email,
    dryRun: z.boolean().default(false).describe('Lists what would be erased, and changes nothing'),
  })
  .register(components, { id: 'ErasePersonalDataBody' });

/** Sign-in with a password. */
export const signInBody = z.strictObject({ email, password: knownPassword }).register(components, { id: 'SignInBody' });

/** A person with a password. */
export const newPersonBody = z.strictObject({ name, email, password: newPassword, role: personSchema.shape.role });

const sites = z
  .array(z.union([z.literal(EMBEDDED_SITE), z.string().regex(/^wps_[0-9a-z]{26}$/, 'is not the id of a site')]))
  .max(50)
  .transform((ids) => [...new Set(ids)])
  .nullable()
  .describe('Ids of the sites that they may work on; null: all. Administrators have all');
/** A person whom an administrator adds. Without a password, they are invited: a link lets them choose one. */
export const invitedPersonBody = newPersonBody
  .partial({ password: true })
  .extend({ sites: sites.default(null) })
  .register(components, { id: 'NewPersonBody' });

/** `everywhere`: in all browsers. Default: only in this one. */
export const signOutBody = z
  .strictObject({
    everywhere: z.boolean().default(false).describe('True: in all browsers of the person. Default: only in this one'),
  })
  .prefault({})
  .register(components, { id: 'SignOutBody' });

export const signInParams = z.object({ id: z.string().regex(/^sin_[0-9a-z]{26}$/, 'is not the id of a sign-in') });

/** A code of an authenticator app, or a recovery code. */
const code = z
  .string()
  .trim()
  .min(1, valueRules.empty)
  .max(40, atMost(40))
  .describe('A code of the authenticator app, or a recovery code');
/** Confirms a signed-in person, or a new authenticator app. */
export const codeBody = z.strictObject({ code }).register(components, { id: 'OneTimeCodeBody' });
/** Second step of a sign-in. */
export const signInCodeBody = z
  .strictObject({
    code,
    isRecovery: z.boolean().default(false).describe('True: `code` is a recovery code, which works once'),
  })
  .register(components, { id: 'SignInCodeBody' });

/** Answer of a browser's WebAuthn API; checked by better-auth. */
const passkeyAnswer = z
  .looseObject({
    id: z.string().min(1).max(2_000).describe('Id of the credential, as the browser gives it'),
    type: z.literal('public-key').describe('Kind of the credential'),
    response: boundedRecord(z.string(), json, 50).describe(
      'Signed data of the browser, as `PublicKeyCredential.toJSON()` writes it',
    ),
  })
  .describe('PublicKeyCredential as JSON')
  .transform((answer) => answer as JsonObject);
export const signInPasskeyBody = z
  .strictObject({ answer: passkeyAnswer })
  .register(components, { id: 'SignInPasskeyBody' });
export const newPasskeyBody = z
  .strictObject({
    name: nameSchema(MAX_NAME_CHARS).describe('Display name: the device that stores it'),
    answer: passkeyAnswer,
  })
  .register(components, { id: 'NewPasskeyBody' });
export const passkeyParams = z.object({ id: z.string().regex(/^psk_[0-9a-z]{26}$/, 'is not the id of a passkey') });

/** The present password of the user; empty for a user without one. */
export const presentPasswordBody = z
  .strictObject({
    password: z
      .string()
      .max(MAX_PASSWORD, valueRules.tooLong)
      .describe('The present password; empty: the user has none'),
  })
  .register(components, { id: 'PresentPasswordBody' });

/** Starts a sign-in with the OpenID Connect provider. `next`: path on this server to open afterwards. */
export const oidcBody = z
  .strictObject({
    next: z.string().max(2_000, atMost(2_000)).default('/').describe('Path on this server to open after the sign-in'),
    isAfresh: z.boolean().default(false).describe('The provider has to ask again who they are'),
  })
  .register(components, { id: 'ProviderSignInBody' });
/** Address of the provider's sign-in page. */
export const oidcAnswer = z
  .strictObject({ url: z.url().describe("Address of the provider's sign-in page, to be opened in the browser") })
  .register(components, { id: 'ProviderSignInAddress' });
/** Query with which the provider sends the browser back; checked by better-auth. */
export const oidcCallbackQuery = boundedRecord(z.string().max(100), z.string().max(8_000), 50);

/** Requests a link for a new password. */
export const forgottenBody = z.strictObject({ email }).register(components, { id: 'ForgottenBody' });

/** Chooses a password with a link. `token`: the secret part of the link. */
export const newPasswordBody = z
  .strictObject({
    token: z
      .string()
      .min(1, valueRules.empty)
      .max(100, atMost(100))
      .describe('Secret part of the link for choosing a password'),
    password: newPassword,
  })
  .register(components, { id: 'NewPasswordBody' });

/** Creates the first account. `code`: the code that the server has written to its log. */
export const ownerBody = newPersonBody
  .omit({ role: true })
  .extend({
    code: z
      .string()
      .trim()
      .min(1, valueRules.empty)
      .max(100, atMost(100))
      .describe('Code that the server has written to its log at the start'),
  })
  .register(components, { id: 'FirstOwnerBody' });

const apiKeys = z
  .enum(keyChoices)
  .describe('What becomes of the API keys with a new password; revoking ends what was begun with them, too');

/** Changes of a person by an administrator. */
export const personChangesBody = z
  .strictObject({
    name: name.optional(),
    role: z.enum(roles).optional().describe('New role; absent: unchanged'),
    banned: z.boolean().optional().describe('True: the person may neither sign in nor use keys; absent: unchanged'),
    password: newPassword.optional().describe('New password; absent: unchanged'),
    secondFactor: z
      .literal('remove')
      .optional()
      .describe('Takes away passkeys and one-time codes, for who has lost them'),
    apiKeys: apiKeys.optional(),
    sites: sites.optional(),
  })
  .register(components, { id: 'PersonChangesBody' });

/** Changes of a user's own account. */
export const meChangesBody = z
  .strictObject({
    name: name.optional(),
    language: z.enum(languageCodes).nullable().optional().describe('Null: the language that the browser requests'),
    password: z
      .strictObject({ current: knownPassword, next: newPassword, apiKeys: apiKeys.default('revoke') })
      .optional()
      .describe('Changes the password; absent: unchanged'),
  })
  .register(components, { id: 'MeChangesBody' });
