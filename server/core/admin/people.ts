import { z } from 'zod';
import { codedMessageSchema } from '#server/core/coded-message';
import { languageCodes } from '#server/core/languages';
import { components, idOf, json, listOf, type Shape, time } from '#server/core/shapes';
import { LOCAL_OWNER, type Principal, roles, scopesOfRole } from '#server/core/admin/access-rights';
import { sitesFor } from '#server/core/admin/site-access';

const personId = z
  .string()
  .regex(new RegExp(`^(${LOCAL_OWNER}|usr_[0-9a-z]{26})$`))
  .describe('Id of a user, as in `/api/users/{id}`; `own_local` for the first account and in local mode');

/** A user account. */
export const personSchema = z
  .strictObject({
    id: personId,
    name: z.string().describe('Display name'),
    email: z.string().describe('In lower case'),
    role: z
      .enum(roles)
      .describe('Rights in this installation. `author`: writes drafts. `editor`: also publishes. `admin`: everything'),
    banned: z.boolean().describe('True if the person may neither sign in nor use keys'),
    isInvited: z.boolean().describe('Has not chosen a password yet, and so cannot sign in'),
    language: z.enum(languageCodes).nullable().describe('Of the interface; null: as the browser asks'),
    sites: z.array(z.string()).nullable().describe('Ids of the sites that they may work on; null: all'),
    createdAt: time,
  })
  .describe('A user account')
  .register(components, { id: 'Person' });
export type Person = Shape<typeof personSchema>;
export const peopleSchema = listOf(personSchema).register(components, { id: 'PersonList' });

/** A browser in which a person is signed in. */
const signInSchema = z
  .strictObject({
    id: idOf('sin'),
    isCurrent: z.boolean().describe('The browser that asks'),
    browser: z.string().nullable().describe('As it calls itself (User-Agent); null where it did not say'),
    address: z.string().nullable().describe('Of the network it signed in from; null where it is unknown'),
    createdAt: time,
    lastUsedAt: time.describe('To the day'),
  })
  .register(components, { id: 'SignIn' });
export type SignIn = Shape<typeof signInSchema>;
export const signInsAnswer = listOf(signInSchema).register(components, { id: 'SignInList' });

/** A passkey of the signed-in user. */
export const passkeySchema = z
  .strictObject({
    id: idOf('psk'),
    name: z.string().describe('Display name: the device that stores it'),
    createdAt: time.nullable(),
  })
  .describe('A passkey of the signed-in user')
  .register(components, { id: 'Passkey' });
export type Passkey = Shape<typeof passkeySchema>;

/** Options for the browser's WebAuthn API, as better-auth writes them. */
export const passkeyOptionsSchema = z
  .record(z.string(), json)
  .describe('Options for WebAuthn in a browser')
  .register(components, { id: 'PasskeyOptions' });

/** The signed-in user's ways to sign in. */
export const signInFactorsSchema = z
  .strictObject({
    hasPassword: z.boolean().describe('True if a password is set'),
    provider: z.string().nullable().describe('Name of the OpenID Connect provider of this server; null: none is set'),
    hasTotp: z.boolean().describe('A code of an app is asked for after the password'),
    passkeys: z.array(passkeySchema).describe('Passkeys of the user'),
  })
  .register(components, { id: 'SignInFactors' });
export type SignInFactors = Shape<typeof signInFactorsSchema>;

/** Setup of an app for one-time codes. */
export const newTotpSchema = z
  .strictObject({
    uri: z.string().startsWith('otpauth://').describe('For the app, as a QR code'),
    recoveryCodes: z.array(z.string().min(1)).describe('Each stands for a code once; shown this one time'),
  })
  .register(components, { id: 'OneTimeCodeSetup' });
export type NewTotp = Shape<typeof newTotpSchema>;

/** Response to a correct password: the signed-in person, or the second factor that is required. */
export const signedInSchema = z
  .union([
    personSchema,
    z
      .strictObject({ needsCode: z.literal(true).describe('A code of their app, at /api/auth/sign-in/code') })
      .register(components, { id: 'SecondFactorNeeded' }),
  ])
  .register(components, { id: 'SignInOutcome' });

/** A link for choosing a password, which works once, and whether it was mailed. */
export const passwordLinkSchema = z
  .strictObject({
    mailedTo: z.string().nullable().describe('Null: it was not mailed, and has to be handed over'),
    link: z.string().nullable().describe('Null: it was mailed'),
    problem: z.string().nullable().describe('Why it could not be mailed; null where no mail server is set'),
    problemMessage: codedMessageSchema.nullable().describe('`problem` as data; null: it has none'),
    expiresAt: time,
  })
  .register(components, { id: 'PasswordLink' });
export type PasswordLink = Shape<typeof passwordLinkSchema>;

/** What a caller receives about itself. */
export const meSchema = z
  .strictObject({
    kind: z
      .enum(['local', 'user', 'key'])
      .describe('`local`: no sign-in; the person at this machine is the owner. `key`: a program'),
    id: personId,
    name: z.string().describe('Display name of the person, or of the API key'),
    email: z.string().nullable().describe('Null: not a person'),
    role: personSchema.shape.role,
    language: z.enum(languageCodes).nullable().describe('Chosen for the interface; null: as the browser asks'),
  })
  .register(components, { id: 'Caller' });
export type Me = Shape<typeof meSchema>;

/** The principal of a signed-in person. */
export function principalOf({ id, name, role, sites }: Pick<Person, 'id' | 'name' | 'role' | 'sites'>): Principal {
  return { kind: 'user', userId: id, name, scopes: scopesOfRole[role], sites: sitesFor(role, sites), keyId: null };
}
