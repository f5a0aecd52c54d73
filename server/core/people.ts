/**
 * What a caller may do, as API keys name it; people have them by their role. `content:draft`: changes drafts, and
 * nothing that visitors would notice; `content:write`: the whole site.
 */
export const scopes = ['chat', 'content:read', 'content:draft', 'content:write', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** What people are in this installation. */
export const roles = ['editor', 'admin'] as const;
export type Role = (typeof roles)[number];

/** What each role may do. */
export const scopesOfRole: Readonly<Record<Role, readonly Scope[]>> = {
  editor: ['chat', 'content:read', 'content:write'],
  admin: ['admin'],
};

/**
 * Who makes a request. `local`: whoever sits at this machine, in local mode. `user`: somebody who has signed in. `key`:
 * a program with an API key, which acts for the user it belongs to.
 */
export interface Principal {
  readonly kind: 'local' | 'user' | 'key';
  /** Whose sessions these are (`ownerId`). */
  readonly userId: string;
  /** For people: of the user, or of the key. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Null: no key. */
  readonly keyId: string | null;
}

/** The owner of an installation: everybody in local mode, and the first account that is created. */
export const LOCAL_OWNER = 'own_local';

/** Only what both allow. */
export function commonScopes(some: readonly Scope[], others: readonly Scope[]): readonly Scope[] {
  return scopes.filter((scope) => allows(some, scope) && allows(others, scope));
}

/** Scopes that each include those in front of them. */
const reaches: readonly Scope[] = ['content:read', 'content:draft', 'content:write'];

/** Whether these scopes allow it. `admin` allows everything, and who may change content may read it. */
export function allows(held: readonly Scope[], needed: Scope): boolean {
  if (held.includes('admin') || held.includes(needed)) return true;
  const place = reaches.indexOf(needed);
  return place >= 0 && reaches.slice(place).some((wider) => held.includes(wider));
}

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

/** An API key, as its owner sees it: never the key itself. */
export interface ApiKey {
  readonly id: string;
  /** Whom it acts for. */
  readonly userId: string;
  /** For people: what it is used by. */
  readonly name: string;
  /** The beginning of the key, so that people recognize it. */
  readonly prefix: string;
  /** What it was made for; it may never do more than its user. */
  readonly scopes: readonly Scope[];
  /** Epoch milliseconds; null: never. */
  readonly expiresAt: number | null;
  /** To the minute; null: never. */
  readonly lastUsedAt: number | null;
  readonly createdAt: number;
}

/** A key in a list of everybody's. */
export interface OwnedApiKey extends ApiKey {
  /** Name of its user; null: there is no such person (any more). */
  readonly userName: string | null;
}

/** What a new key is to be. */
export interface NewApiKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Epoch milliseconds; null: never. */
  readonly expiresAt: number | null;
}
