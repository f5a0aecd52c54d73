import { z } from 'zod';
import { EMBEDDED_SITE } from '#server/core/content';
import type { JsonObject } from '#server/core/json';
import { languageCodes } from '#server/core/languages';
import { MAX_PASSWORD, MAX_PERSON_NAME, MIN_PASSWORD } from '#server/core/limits';
import { keyChoices } from '#server/core/people';
import { LOCAL_OWNER, roles, scopes } from '#server/core/access-rights';
import { atMost } from '#server/core/safe-text';
import { json } from '#server/core/shapes';
import { hasVisibleText } from '#server/core/visible-text';

/** A name that people give and read, at most `max` characters; outer whitespace is dropped. */
function nameSchema(max: number) {
  return z.string().trim().max(max, atMost(max)).refine(hasVisibleText, 'must not be empty');
}

const MAX_NAME_CHARS = 100;

export const apiKeyParams = z.object({ id: z.string().regex(/^key_[0-9a-z]{26}$/, 'is not the id of an API key') });

/** `all=1`: everybody's, for administrators. */
export const apiKeysQuery = z.object({ all: z.literal('1').optional() });

export const createApiKeyBody = z.strictObject({
  name: nameSchema(MAX_NAME_CHARS),
  scopes: z
    .array(z.enum(scopes))
    .min(1, 'must have at least one')
    .max(scopes.length)
    .transform((list) => [...new Set(list)]),
  /** Epoch milliseconds; null: it does not expire. */
  expiresAt: z
    .int()
    .refine((expiry) => expiry > Date.now(), 'must lie in the future')
    .nullable()
    .default(null),
});

const email = z
  .email('must look like name@example.com')
  .max(254, 'is too long')
  .transform((text) => text.toLowerCase());
const name = nameSchema(MAX_PERSON_NAME);
const newPassword = z
  .string()
  .min(MIN_PASSWORD, `must have at least ${MIN_PASSWORD} characters`)
  .max(MAX_PASSWORD, atMost(MAX_PASSWORD));
/** One that exists, whatever was allowed when it was chosen. */
const knownPassword = z.string().min(1, 'must not be empty').max(MAX_PASSWORD, 'is too long');

export const personParams = z.object({
  id: z.string().regex(new RegExp(`^(${LOCAL_OWNER}|usr_[0-9a-z]{26})$`), 'is not the id of a user'),
});

export const signInBody = z.strictObject({ email, password: knownPassword });

export const newPersonBody = z.strictObject({ name, email, password: newPassword, role: z.enum(roles) });

/** Without a password they are invited: a link lets them choose one. */
const sites = z
  .array(z.union([z.literal(EMBEDDED_SITE), z.string().regex(/^wps_[0-9a-z]{26}$/, 'is not the id of a site')]))
  .max(50)
  .transform((ids) => [...new Set(ids)])
  .nullable()
  .describe('Ids of the sites that they may work on; null: all. Administrators have all');
export const invitedPersonBody = newPersonBody.partial({ password: true }).extend({ sites: sites.default(null) });

/** Left out: this browser alone. */
export const signOutBody = z.strictObject({ everywhere: z.boolean().default(false) }).prefault({});

export const signInParams = z.object({ id: z.string().regex(/^sin_[0-9a-z]{26}$/, 'is not the id of a sign-in') });

/** A code of an app, or one of the recovery codes. */
const code = z.string().trim().min(1, 'must not be empty').max(40, atMost(40));
export const codeBody = z.strictObject({ code });
export const signInCodeBody = z.strictObject({ code, isRecovery: z.boolean().default(false) });

/** Answer of a browser's WebAuthn API; checked by better-auth. */
const passkeyAnswer = z
  .looseObject({
    id: z.string().min(1).max(2_000),
    type: z.literal('public-key'),
    response: z.record(z.string(), json),
  })
  .describe('PublicKeyCredential as JSON')
  .transform((answer) => answer as JsonObject);
export const signInPasskeyBody = z.strictObject({ answer: passkeyAnswer });
export const newPasskeyBody = z.strictObject({ name: nameSchema(MAX_NAME_CHARS), answer: passkeyAnswer });
export const passkeyParams = z.object({ id: z.string().regex(/^psk_[0-9a-z]{26}$/, 'is not the id of a passkey') });

/** Empty for who has none. */
export const presentPasswordBody = z.strictObject({ password: z.string().max(MAX_PASSWORD, 'is too long') });

/** `next`: path of ours to go to afterwards. */
export const oidcBody = z.strictObject({
  next: z.string().max(2_000, atMost(2_000)).default('/'),
  isAfresh: z.boolean().default(false).describe('The provider has to ask again who they are'),
});
export const oidcAnswer = z.strictObject({ url: z.url() });
/** Query from the provider; checked by better-auth. */
export const oidcCallbackQuery = z.record(z.string().max(100), z.string().max(8_000));

export const forgottenBody = z.strictObject({ email });

/** `token`: the secret part of a link. */
export const newPasswordBody = z.strictObject({
  token: z.string().min(1, 'must not be empty').max(100, atMost(100)),
  password: newPassword,
});

/** `code`: what the server has written to its log. */
export const ownerBody = newPersonBody
  .omit({ role: true })
  .extend({ code: z.string().trim().min(1, 'must not be empty').max(100, atMost(100)) });

const apiKeys = z
  .enum(keyChoices)
  .describe('What becomes of the API keys with a new password; revoking ends what was begun with them, too');

export const personChangesBody = z.strictObject({
  name: name.optional(),
  role: z.enum(roles).optional(),
  banned: z.boolean().optional(),
  password: newPassword.optional(),
  secondFactor: z
    .literal('remove')
    .optional()
    .describe('Takes away passkeys and one-time codes, for who has lost them'),
  apiKeys: apiKeys.optional(),
  sites: sites.optional(),
});

export const meChangesBody = z.strictObject({
  name: name.optional(),
  /** Null: as the browser asks. */
  language: z.enum(languageCodes).nullable().optional(),
  password: z
    .strictObject({ current: knownPassword, next: newPassword, apiKeys: apiKeys.default('revoke') })
    .optional(),
});
