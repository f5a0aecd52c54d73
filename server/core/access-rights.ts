/**
 * Rights of a caller, as API keys name them; people have them by their role. `content:draft`: changes drafts, and
 * nothing that visitors would notice; `content:write`: the whole site.
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
 * The authenticated caller. `local`: whoever sits at this machine, in local mode. `user`: somebody who has signed in. `key`:
 * a program with an API key, which acts for the user it belongs to.
 */
export interface Principal {
  readonly kind: 'local' | 'user' | 'key';
  /** Owner of the sessions (`ownerId`). */
  readonly userId: string;
  /** For people: of the user, or of the key. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Ids of the sites that they may work on; null: all. */
  readonly sites: readonly string[] | null;
  /** Null: no key. */
  readonly keyId: string | null;
  /** Sign-in time of a `user`; epoch milliseconds. */
  readonly signedInAt?: number;
}

/** The owner of an installation: everybody in local mode, and the first account that is created. */
export const LOCAL_OWNER = 'own_local';

/** Only what both allow. */
export function commonScopes(some: readonly Scope[], others: readonly Scope[]): readonly Scope[] {
  return scopes.filter((scope) => allows(some, scope) && allows(others, scope));
}

/** Scopes that each include those in front of them. */
const reaches: readonly Scope[] = ['content:read', 'content:draft', 'content:write'];

/** Tells whether these scopes allow it. `admin` allows everything, and who may change content may read it. */
export function allows(held: readonly Scope[], needed: Scope): boolean {
  if (held.includes('admin') || held.includes(needed)) return true;
  const place = reaches.indexOf(needed);
  return place >= 0 && reaches.slice(place).some((wider) => held.includes(wider));
}
