import { z } from 'zod';
import { scopes } from '#server/core/admin/access-rights';
import { components, idOf, listOf, type Shape, time } from '#server/core/shapes';

/* API keys, with which programs act on behalf of a user. */

/**
 * What happens to a user's API keys when the password changes. `revoke` also ends the work that was started with them: a
 * person who knew the old password may have created keys that the user does not know of.
 */
export const keyChoices = ['revoke', 'keep'] as const;
export type KeyChoice = (typeof keyChoices)[number];

/** An API key in lists, never with the key itself. */
const ownedApiKeySchema = z
  .strictObject({
    id: idOf('key'),
    userId: z.string().describe("The key's user, whose account the key acts for"),
    userName: z.string().nullable().describe('Null where there are no accounts'),
    name: z.string().describe('Display name: the program that uses it'),
    prefix: z.string().describe('The beginning of the key, to recognize it by; empty for a connected program'),
    oauthClientId: z
      .string()
      .nullable()
      .describe('Id of the program that was connected by its address (OAuth), which has no key; null: a key'),
    scopes: z.array(z.enum(scopes)).describe('A key never has more rights than its user'),
    expiresAt: time.nullable().describe('Null: never'),
    lastUsedAt: time.nullable().describe('To the minute'),
    createdAt: time,
  })
  .describe('An API key, without the key itself')
  .register(components, { id: 'ApiKey' });
export type OwnedApiKey = Shape<typeof ownedApiKeySchema>;
/** An API key, as its owner sees it. */
export type ApiKey = Omit<OwnedApiKey, 'userName'>;

export const apiKeysAnswer = listOf(ownedApiKeySchema).register(components, { id: 'ApiKeyList' });
/** Answer to the creation of a key: the only response with the key itself. */
export const createdApiKeyAnswer = z
  .strictObject({
    key: z
      .string()
      .regex(/^tl_[\w-]{43}$/)
      .describe('The key itself, this one time'),
    apiKey: ownedApiKeySchema,
  })
  .register(components, { id: 'CreatedApiKey' });

/** What a user chooses for a new key. */
export interface NewApiKey {
  readonly name: string;
  readonly scopes: ApiKey['scopes'];
  /** Epoch milliseconds; null: never. */
  readonly expiresAt: number | null;
}
