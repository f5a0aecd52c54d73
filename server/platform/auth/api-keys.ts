import { serverText } from '#server/core/messages/server-text';
import type { Clock, FaultLog } from '#server/core/process';
import { createHash, randomBytes } from 'node:crypto';
import { ForbiddenError, UnauthenticatedError } from '#server/core/errors';
import type { ApiKey, NewApiKey, OwnedApiKey } from '#server/core/admin/api-keys';
import { sitesFor } from '#server/core/admin/site-access';
import {
  allows,
  LOCAL_OWNER,
  type Principal,
  type Role,
  type Scope,
  scopesOfRole,
} from '#server/core/admin/access-rights';
import { ApiKeyWatch, type WatchedCall } from '#server/platform/auth/api-key-watch';
import type { ApiKeyRepository, KeyOwner, StoredApiKey } from '#server/platform/auth/store/api-key-repository';

/** Prefix of all our keys, by which people and secret scanners recognise them. */
const KEY_PREFIX = 'tl_';

/**
 * Token of the header `Authorization: Bearer …`, or else of `X-Api-Key`, which clients of Anthropic's API send; null if
 * both are missing.
 */
export function bearerOf(headers: Headers): string | null {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  // A proxy may add a header of this name for its own purposes.
  const key = headers.get('x-api-key') ?? '';
  return isApiKey(key) ? key : null;
}

/** True if a token has the form of one of our keys. */
export function isApiKey(token: string): boolean {
  return token.startsWith(KEY_PREFIX);
}

/** 256 random bits, as many as in an AES-256 key: guessing one is infeasible. */
const KEY_BYTES = 32;
/** Length of the stored prefix that identifies a key to people: it discloses 36 of the 256 bits. */
const PREFIX_CHARS = KEY_PREFIX.length + 6;
const MINUTE_MS = 60_000;

/** API keys, with which programs act on behalf of a user. */
export interface ApiKeys {
  /**
   * Finds the principal of a key, and records the use of the key.
   * @throws UnauthenticatedError for a key that is unknown, expired or revoked, or whose user was deleted or banned
   */
  find(key: string): Promise<Principal>;
  /**
   * Finds the principal of a program that was connected with OAuth, and records the use.
   * @param id of the grant
   * @throws UnauthenticatedError for a grant that is unknown, expired or revoked, or whose user was deleted or banned
   */
  findGrant(id: string): Promise<Principal>;
  /**
   * Creates a key for the calling person.
   * @returns the key itself, only this once, and its stored data
   * @throws ForbiddenError for a scope that the person does not have
   */
  create(person: Principal, key: NewApiKey): Promise<{ readonly key: string; readonly stored: OwnedApiKey }>;
  /** Lists the keys of one user, or of all users (null), newest first. Revoked keys are omitted. */
  list(userId: string | null): Promise<OwnedApiKey[]>;
  /**
   * Revokes a key: it is refused from the next request on, and running calls with it are aborted.
   * @param userId null: a key of any user
   * @throws NotFoundError
   */
  revoke(id: string, userId: string | null): Promise<ApiKey>;
  /** Watches a running call with this key, until the call is released. */
  watch(id: string): WatchedCall;
}

interface ApiKeysDeps extends FaultLog, Partial<Clock> {
  readonly store: ApiKeyRepository;
  /** True if accounts exist: without them, keys belong to the owner of this machine. */
  readonly hasAccounts: boolean;
}

/** Creates the API keys over their store. Only one instance per process: it watches the running calls. */
export function createApiKeys({ store, hasAccounts, onFault, now = Date.now }: ApiKeysDeps): ApiKeys {
  /** Minute (epoch milliseconds) of the last use that this process recorded, by key: the row that was read may be older. */
  const recorded = new Map<string, number>();
  const watched = new ApiKeyWatch(invalidKeys, { onFault });

  async function invalidKeys(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const valid = (await store.findMany(ids)).filter((stored) => roleNow(stored) !== null);
    const validIds = new Set(valid.map(({ id }) => id));
    return new Set(ids.filter((id) => !validIds.has(id)));
  }

  /** Null if the key has expired, or its user was deleted or banned. */
  function roleNow(stored: StoredApiKey): Role | null {
    const isExpired = stored.expiresAt !== null && stored.expiresAt <= now();
    return isExpired ? null : roleOf(stored, hasAccounts);
  }

  /** Writes at most once per minute and key, in the background. */
  function recordUse({ id, lastUsedAt }: ApiKey): void {
    const minute = Math.floor(now() / MINUTE_MS) * MINUTE_MS;
    if (lastUsedAt === minute || recorded.get(id) === minute) return;
    recorded.set(id, minute);
    void store.markUsed(id, minute).catch((error: unknown) => {
      recorded.delete(id);
      onFault(`The use of API key ${id} could not be noted`, error);
    });
  }

  /** @throws UnauthenticatedError */
  function principalOf(stored: StoredApiKey | null): Principal {
    const role = stored && roleNow(stored);
    if (!stored || role === null) throw invalidKey();
    recordUse(stored);
    const { id, userId, name, scopes } = stored;
    const sites = sitesFor(role, stored.owner?.sites ?? null);
    return { kind: 'key', userId, name, scopes: withinRole(scopes, role), sites, keyId: id };
  }

  return {
    find: async (key) => principalOf(await store.find(hashOf(key))),

    async findGrant(id) {
      const [stored = null] = await store.findMany([id]);
      return principalOf(stored && stored.oauthClientId !== null ? stored : null);
    },

    async create(person, { name, scopes, expiresAt }) {
      const exceeding = scopes.filter((scope) => !allows(person.scopes, scope));
      if (exceeding.length > 0) {
        const named = exceeding.map((scope) => `"${scope}"`).join(', ');
        throw new ForbiddenError(serverText('key-above-person', { scopes: named }));
      }
      const key = `${KEY_PREFIX}${randomBytes(KEY_BYTES).toString('base64url')}`;
      const prefix = key.slice(0, PREFIX_CHARS);
      const stored = await store.create({ userId: person.userId, name, scopes, expiresAt, prefix, hash: hashOf(key) });
      return { key, stored };
    },

    list: (userId) => store.list(userId),
    revoke: async (id, userId) => {
      const revoked = await store.revoke(id, userId);
      await watched.check();
      return revoked;
    },
    watch: (id) => watched.watch(id),
  };
}

/**
 * Limits the scopes of a key to the role of its user: a key can never do more than its user. `content:write` becomes
 * `content:draft` for a user who may change drafts only.
 */
export function withinRole(scopes: readonly Scope[], role: Role): Scope[] {
  const may = (scope: Scope) => allows(scopesOfRole[role], scope);
  const narrowed = scopes.map((scope) => (scope === 'content:write' && !may(scope) ? 'content:draft' : scope));
  return [...new Set(narrowed)].filter(may);
}

/** Null if its user was deleted or banned. */
function roleOf({ userId, owner }: { userId: string; owner: KeyOwner | null }, hasAccounts: boolean): Role | null {
  if (!hasAccounts && userId === LOCAL_OWNER) return 'admin';
  return owner === null || owner.isBanned ? null : owner.role;
}

/** A key is random, so a plain hash protects it: it cannot be guessed. The duration of the lookup discloses nothing. */
function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function invalidKey(): UnauthenticatedError {
  return new UnauthenticatedError(serverText('key-invalid'));
}
