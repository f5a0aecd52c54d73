/**
 * Scopes: rights of a caller. API keys have a list of them, people those of their role. `content:draft`: change drafts, but
 * nothing that visitors would notice; `content:write`: change the whole site.
 */
export const scopes = ['chat', 'content:read', 'content:draft', 'content:write', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** Roles of people in this installation, from the fewest rights to all of them. */
export const roles = ['author', 'editor', 'admin'] as const;
export type Role = (typeof roles)[number];

/** Rights of each role. An author writes drafts, which an editor or administrator publishes. */
export const scopesOfRole: Readonly<Record<Role, readonly Scope[]>> = {
  author: ['chat', 'content:draft'],
  editor: ['chat', 'content:read', 'content:write'],
  admin: ['admin'],
};

/**
 * The authenticated caller. `local`: the person at this machine, in local mode. `user`: a person who has signed in.
 * `key`: a program with an API key, which acts for the key's user.
 */
export interface Principal {
  readonly kind: 'local' | 'user' | 'key';
  /** Owner of the sessions (`ownerId`). */
  readonly userId: string;
  /** Display name of the user or of the key. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Ids of the sites that the principal may work on; null: all. */
  readonly sites: readonly string[] | null;
  /** Null: no API key. */
  readonly keyId: string | null;
  /** Sign-in time of a `user`; epoch milliseconds. */
  readonly signedInAt?: number;
  /**
   * Time at which this browser signed in, set only if an OpenID Connect provider did not report when the person signed in
   * there: `signedInAt` is then 0. Epoch milliseconds.
   */
  readonly enteredAt?: number;
}

/** The owner of an installation: every user in local mode, and the first account that is created. */
export const LOCAL_OWNER = 'own_local';

/** Prefix of the random id that replaces the id of an erased person. */
export const DELETED_PERSON_PREFIX = 'del_';
/** Name of an erased person in the journal and in the audit log. */
export const DELETED_PERSON_NAME = 'Deleted person';

/** The scopes that both lists allow. */
export function commonScopes(some: readonly Scope[], others: readonly Scope[]): readonly Scope[] {
  return scopes.filter((scope) => allows(some, scope) && allows(others, scope));
}

/** Scopes for content; each includes the ones before it. */
const contentScopes: readonly Scope[] = ['content:read', 'content:draft', 'content:write'];

/**
 * Returns whether these scopes allow an action. `admin` allows everything, and the right to change content includes
 * reading it.
 */
export function allows(held: readonly Scope[], needed: Scope): boolean {
  if (held.includes('admin') || held.includes(needed)) return true;
  const index = contentScopes.indexOf(needed);
  return index >= 0 && contentScopes.slice(index).some((wider) => held.includes(wider));
}
