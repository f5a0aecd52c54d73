import { createHash, randomBytes } from 'node:crypto';
import { ForbiddenError, UnauthenticatedError } from '#server/core/errors';
import { type ApiKey, type NewApiKey, type OwnedApiKey, sitesFor } from '#server/core/people';
import { allows, LOCAL_OWNER, type Principal, type Role, type Scope, scopesOfRole } from '#server/core/access-rights';
import type { ApiKeyRepository, KeyOwner, StoredApiKey } from '#server/store/api-key-repository';

/** Every key of ours begins so: people and scanners of sources recognize it. */
const KEY_PREFIX = 'tl_';

/** Token of the header `Authorization: Bearer …`; null where there is none. */
export function bearerOf(headers: Headers): string | null {
  return /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null;
}

/** Tells whether a token is meant to be a key of ours. */
export function isApiKey(word: string): boolean {
  return word.startsWith(KEY_PREFIX);
}

/** Guessing one is as hopeless as guessing an AES key. */
const KEY_BYTES = 32;
/** Length of the prefix kept to recognize a key: 36 bits of the 256 are given away. */
const PREFIX_CHARS = KEY_PREFIX.length + 6;
const MINUTE_MS = 60_000;

/** Keys of programs. */
export interface ApiKeys {
  /** @throws UnauthenticatedError for a key that is unknown, expired or revoked, or whose user is gone or banned */
  find(key: string): Promise<Principal>;
  /**
   * Makes a key for the person who asks.
   * @returns the key itself, this one time, with what is kept of it
   * @throws ForbiddenError for a scope the person does not have
   */
  create(person: Principal, key: NewApiKey): Promise<{ readonly key: string; readonly stored: OwnedApiKey }>;
  /** The newest first: of one user, or everybody's (null). */
  list(userId: string | null): Promise<OwnedApiKey[]>;
  /**
   * From the next request on; calls that are under way with it end.
   * @param userId null: whoever's it is
   * @throws NotFoundError
   */
  revoke(id: string, userId: string | null): Promise<ApiKey>;
  /** Watches over a call with this key, until it is released. */
  watch(id: string): WatchedCall;
}

export interface ApiKeysDeps {
  readonly store: ApiKeyRepository;
  /** Tells whether there are accounts: without them, keys belong to the owner of this machine. */
  readonly hasAccounts: boolean;
  readonly onFault: (message: string, error: unknown) => void;
  /** Epoch milliseconds. Default: the clock. */
  readonly now?: () => number;
}

export function createApiKeys({ store, hasAccounts, onFault, now = Date.now }: ApiKeysDeps): ApiKeys {
  /** The minute of which a use was noted here last, by key: what was read of a key may be older. */
  const noted = new Map<string, number>();
  const watched = new KeyWatch({
    async lapsed(ids) {
      const kept = (await store.findMany(ids)).filter((stored) => roleNow(stored) !== null);
      const held = new Set(kept.map(({ id }) => id));
      return new Set(ids.filter((id) => !held.has(id)));
    },
    onFault,
  });

  /** Null: it has expired, or its user is gone or banned. */
  function roleNow(stored: StoredApiKey): Role | null {
    const isExpired = stored.expiresAt !== null && stored.expiresAt <= now();
    return isExpired ? null : roleOf(stored, hasAccounts);
  }

  /** At most one write a minute and key, and nobody waits for it. */
  function noteUse({ id, lastUsedAt }: ApiKey): void {
    const minute = Math.floor(now() / MINUTE_MS) * MINUTE_MS;
    if (lastUsedAt === minute || noted.get(id) === minute) return;
    noted.set(id, minute);
    void store.markUsed(id, minute).catch((error: unknown) => {
      noted.delete(id);
      onFault(`The use of API key ${id} could not be noted`, error);
    });
  }

  return {
    async find(key) {
      const stored = await store.find(hashOf(key));
      const role = stored && roleNow(stored);
      if (!stored || role === null) throw invalidKey();
      noteUse(stored);
      const { id, userId, name, scopes } = stored;
      const sites = sitesFor(role, stored.owner?.sites ?? null);
      return { kind: 'key', userId, name, scopes: withinRole(scopes, role), sites, keyId: id };
    },

    async create(person, { name, scopes, expiresAt }) {
      const beyond = scopes.filter((scope) => !allows(person.scopes, scope));
      if (beyond.length > 0) {
        throw new ForbiddenError(`A key may do no more than you: without ${beyond.map((it) => `"${it}"`).join(', ')}.`);
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
 * A key's scopes, limited to the role of its user: a key can never do more than its user can. One for the whole site
 * still works on drafts where its user does.
 */
export function withinRole(scopes: readonly Scope[], role: Role): Scope[] {
  const may = (scope: Scope) => allows(scopesOfRole[role], scope);
  const narrowed = scopes.map((scope) => (scope === 'content:write' && !may(scope) ? 'content:draft' : scope));
  return [...new Set(narrowed)].filter(may);
}

/** Null: its user is gone, or banned. */
function roleOf({ userId, owner }: { userId: string; owner: KeyOwner | null }, hasAccounts: boolean): Role | null {
  if (!hasAccounts && userId === LOCAL_OWNER) return 'admin';
  return owner === null || owner.isBanned ? null : owner.role;
}

/** A key is random, so a plain hash keeps it: there is nothing to guess. The lookup by it tells nothing by its time. */
function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function invalidKey(): UnauthenticatedError {
  return new UnauthenticatedError('This API key is not valid (any more).');
}

/** Time a call may outlive its key if we were not told of the end; milliseconds. */
const CHECKED_EVERY_MS = 1_000;

/** A call that is under way. */
export interface WatchedCall {
  /** Aborts, with the refusal as its reason, once the key of the call opens nothing any more. */
  readonly signal: AbortSignal;
  /** The call is over. */
  readonly release: () => void;
}

export interface KeyWatchOptions {
  /** Finds those of these keys that are no longer valid. */
  readonly lapsed: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly onFault: (message: string, error: unknown) => void;
}

/** The calls under way with API keys: each is ended once its key opens nothing any more, be it here or by another process. */
class KeyWatch {
  readonly #options: KeyWatchOptions;
  readonly #calls = new Map<AbortController, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: KeyWatchOptions) {
    this.#options = options;
  }

  watch(keyId: string): WatchedCall {
    const ended = new AbortController();
    this.#calls.set(ended, keyId);
    // It asks only while there is somebody to ask for, and the process does not stay alive for it.
    this.#timer ??= setInterval(() => void this.check(), CHECKED_EVERY_MS).unref();
    return { signal: ended.signal, release: () => this.#release(ended) };
  }

  /** Ends the calls of keys that hold no more. Never throws: while the store cannot be asked, nobody is accused. */
  async check(): Promise<void> {
    if (this.#calls.size === 0) return;
    try {
      const lapsed = await this.#options.lapsed([...new Set(this.#calls.values())]);
      for (const [ended, keyId] of this.#calls) {
        if (!lapsed.has(keyId)) continue;
        this.#release(ended);
        ended.abort(new UnauthenticatedError('This API key was revoked or has expired while it was used.'));
      }
    } catch (error) {
      this.#options.onFault('Whether the API keys in use still hold could not be read', error);
    }
  }

  #release(ended: AbortController): void {
    this.#calls.delete(ended);
    if (this.#calls.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
