import { z } from 'zod';
import { languageCodes } from '#server/core/languages';
import { idOf, listOf, type Shape, time } from '#server/core/shapes';
import { LOCAL_OWNER, type Principal, type Role, roles, scopes, scopesOfRole } from '#server/core/access-rights';

/**
 * Handling of a user's API keys with a new password: `revoke` also ends what was begun with them. Whoever changes a
 * password because others know it would not think of the keys that those may have made.
 */
export const keyChoices = ['revoke', 'keep'] as const;
export type KeyChoice = (typeof keyChoices)[number];

const personId = z.string().regex(new RegExp(`^(${LOCAL_OWNER}|usr_[0-9a-z]{26})$`));

/** A user account. */
export const personSchema = z.strictObject({
  id: personId,
  name: z.string(),
  /** In lower case. */
  email: z.string(),
  role: z.enum(roles),
  /** May not sign in, nor use keys. */
  banned: z.boolean(),
  isInvited: z.boolean().describe('Has not chosen a password yet, and so cannot sign in'),
  language: z.enum(languageCodes).nullable().describe('Of the interface; null: as the browser asks'),
  sites: z.array(z.string()).nullable().describe('Ids of the sites that they may work on; null: all'),
  createdAt: time,
});
export type Person = Shape<typeof personSchema>;
export const peopleSchema = listOf(personSchema);

/** A browser in which somebody is signed in. */
const signInSchema = z.strictObject({
  id: idOf('sin'),
  isCurrent: z.boolean().describe('The browser that asks'),
  browser: z.string().nullable().describe('As it calls itself (User-Agent); null where it did not say'),
  address: z.string().nullable().describe('Of the network it signed in from; null where it is unknown'),
  createdAt: time,
  lastUsedAt: time.describe('To the day'),
});
export type SignIn = Shape<typeof signInSchema>;
export const signInsAnswer = listOf(signInSchema);

/** A passkey of the signed-in user. */
export const passkeySchema = z.strictObject({
  id: idOf('psk'),
  /** For people: the device that keeps it. */
  name: z.string(),
  createdAt: time.nullable(),
});
export type Passkey = Shape<typeof passkeySchema>;

/** The signed-in user's ways to sign in. */
export const signInFactorsSchema = z.strictObject({
  hasPassword: z.boolean(),
  provider: z.string().nullable().describe('Name of the OpenID Connect provider of this server; null: none is set'),
  hasTotp: z.boolean().describe('A code of an app is asked for after the password'),
  passkeys: z.array(passkeySchema),
});
export type SignInFactors = Shape<typeof signInFactorsSchema>;

/** Setup of an app for one-time codes. */
export const newTotpSchema = z.strictObject({
  uri: z.string().startsWith('otpauth://').describe('For the app, as a QR code'),
  recoveryCodes: z.array(z.string().min(1)).describe('Each stands for a code once; shown this one time'),
});
export type NewTotp = Shape<typeof newTotpSchema>;

/** Answer to a right password: who has signed in, or what is still asked for. */
export const signedInSchema = z.union([
  personSchema,
  z.strictObject({ needsCode: z.literal(true).describe('A code of their app, at /api/auth/sign-in/code') }),
]);
export type SignedIn = Shape<typeof signedInSchema>;

/** A link for somebody to choose a password with; it works once. */
export const passwordLinkSchema = z.strictObject({
  mailedTo: z.string().nullable().describe('Null: it was not mailed, and has to be handed over'),
  link: z.string().nullable().describe('Null: it was mailed'),
  problem: z.string().nullable().describe('Why it could not be mailed; null where no mail server is set'),
  expiresAt: time,
});
export type PasswordLink = Shape<typeof passwordLinkSchema>;

/** The authenticated caller, as told to themselves. */
export const meSchema = z.strictObject({
  /** `local`: no sign-in here, the caller at this machine is the owner. `key`: a program. */
  kind: z.enum(['local', 'user', 'key']),
  id: personId,
  name: z.string(),
  /** Null: no person. */
  email: z.string().nullable(),
  role: z.enum(roles),
  language: z.enum(languageCodes).nullable().describe('Chosen for the interface; null: as the browser asks'),
});
export type Me = Shape<typeof meSchema>;

/** Somebody who has signed in. */
export function principalOf({ id, name, role, sites }: Pick<Person, 'id' | 'name' | 'role' | 'sites'>): Principal {
  return { kind: 'user', userId: id, name, scopes: scopesOfRole[role], sites: sitesFor(role, sites), keyId: null };
}

/** Sites that somebody may work on: administrators look after all of them. */
export function sitesFor(role: Role, sites: readonly string[] | null): readonly string[] | null {
  return role === 'admin' ? null : sites;
}

/** Tells whether these sites are all that others are; null: all there are. */
export function hasAllSites(sites: readonly string[] | null, others: readonly string[] | null): boolean {
  return sites === null || (others !== null && others.every((id) => sites.includes(id)));
}

/** Tells whether somebody may work on a site. @param sites theirs; null: all */
export function isTheirSite(sites: readonly string[] | null, siteId: string): boolean {
  return sites === null || sites.includes(siteId);
}

/** An API key in lists: never the key itself. */
const ownedApiKeySchema = z.strictObject({
  id: idOf('key'),
  /** User it acts for. */
  userId: z.string(),
  userName: z.string().nullable().describe('Null where there are no accounts'),
  /** For people: the program that uses it. */
  name: z.string(),
  prefix: z.string().describe('The beginning of the key, to recognize it by'),
  /** A key can never do more than its user can. */
  scopes: z.array(z.enum(scopes)),
  /** Null: never. */
  expiresAt: time.nullable(),
  lastUsedAt: time.nullable().describe('To the minute'),
  createdAt: time,
});
export type OwnedApiKey = Shape<typeof ownedApiKeySchema>;
/** An API key, as its owner sees it. */
export type ApiKey = Omit<OwnedApiKey, 'userName'>;

export const apiKeysAnswer = listOf(ownedApiKeySchema);
export const createdApiKeyAnswer = z.strictObject({
  key: z
    .string()
    .regex(/^tl_[\w-]{43}$/)
    .describe('The key itself, this one time'),
  apiKey: ownedApiKeySchema,
});

/** Choices for a new key. */
export type NewApiKey = Pick<ApiKey, 'name' | 'scopes' | 'expiresAt'>;
