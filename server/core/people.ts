import { type Principal, type Role, scopesOfRole } from '#server/core/principal';

/** Characters of a password: between the least that ASVS 5.0 allows (8) and what it advises (15), as attempts are limited. */
export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 128;

/** Characters. */
export const MAX_PERSON_NAME = 100;

/**
 * What becomes of somebody's API keys with a new password: `revoke` also ends what was begun with them. Whoever changes a
 * password because others know it would not think of the keys that those may have made.
 */
export const keyChoices = ['revoke', 'keep'] as const;
export type KeyChoice = (typeof keyChoices)[number];

/** Somebody who may sign in. */
export interface Person {
  readonly id: string;
  readonly name: string;
  /** In small letters. */
  readonly email: string;
  readonly role: Role;
  /** May not sign in, nor use keys. */
  readonly banned: boolean;
  readonly createdAt: number;
}

/** Who asks, as told to themselves. */
export interface Me extends Pick<Person, 'id' | 'name' | 'role'> {
  /** `local`: nobody signs in here, whoever sits at this machine is the owner. `key`: a program. */
  readonly kind: 'local' | 'user' | 'key';
  /** Null: no person. */
  readonly email: string | null;
}

/** Somebody who has signed in. */
export function principalOf({ id, name, role }: Pick<Person, 'id' | 'name' | 'role'>): Principal {
  return { kind: 'user', userId: id, name, scopes: scopesOfRole[role], keyId: null };
}
