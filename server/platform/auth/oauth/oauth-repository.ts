import { and, asc, count, desc, eq, isNotNull, isNull, lt, lte, notInArray, or } from 'drizzle-orm';
import { ConflictError } from '#server/core/errors';
import type { Scope } from '#server/core/admin/access-rights';
import type { OAuthClient } from '#server/core/oauth/authorization-request';
import { serverText } from '#server/core/messages/server-text';
import type { Database, StoreReader, StoreTransaction } from '#server/platform/database/database';
import { storableText } from '#server/platform/database/json-column';
import { MAX_KEYS } from '#server/platform/auth/store/api-key-repository';
import { apiKeys, oauthClients, oauthCodes, oauthTokens, users } from '#server/platform/database/schema/people';

/** A code that is about to be stored. Times are epoch milliseconds. */
export interface NewCode {
  readonly hash: string;
  readonly clientId: string;
  readonly userId: string;
  /** Id that the grant will have. */
  readonly grantId: string;
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number;
}

/** A stored code, as it is when it is presented. */
export type StoredCode = NewCode & { readonly usedAt: number | null };

/** Hashes and expiry times (epoch milliseconds) of the tokens that are about to be issued. */
export interface NewTokens {
  readonly access: { readonly hash: string; readonly expiresAt: number };
  readonly refresh: { readonly hash: string; readonly expiresAt: number };
}

/** What issuing tokens resulted in: the rights of the grant, or why there are none. */
export type Issued =
  | { readonly scopes: readonly Scope[]; readonly grantId: string }
  /** `reused`: a code or token was presented a second time, and its grant is revoked now. */
  | { readonly refusal: 'unknown' | 'reused' | 'mismatch' | 'expired' };

/** A grant that was just revoked. */
export interface RevokedGrant {
  readonly id: string;
  readonly userId: string;
  /** Name of the connected program. */
  readonly name: string;
}

/** Maximum clients that nobody has connected yet: anybody may register. */
const MAX_UNUSED_CLIENTS = 1_000;
/** Access tokens of one grant that work at the same time: each process of a program may have one. */
const KEPT_ACCESS_TOKENS = 10;
/** Refresh tokens of one grant that are remembered, so that the reuse of one is noticed. */
const KEPT_REFRESH_TOKENS = 100;
const HOUR_MS = 3_600_000;
/** Age at which a client that nobody connected is deleted; milliseconds. */
const UNUSED_MS = 24 * HOUR_MS;
/** Time without new tokens after which a client is deleted, longer than any grant; milliseconds. */
const FORGOTTEN_MS = 180 * 24 * HOUR_MS;

/**
 * Clients, codes and tokens. Each method is one transaction, so that two requests with the same code or token never both
 * succeed, and a reuse that is noticed leaves no valid token.
 */
export class OAuthRepository {
  readonly #db: Database;
  readonly #now: () => number;

  constructor(db: Database, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  async findClient(id: string): Promise<OAuthClient | null> {
    const found = await this.#db.read.select().from(oauthClients).where(eq(oauthClients.id, id)).get();
    return found ?? null;
  }

  /** @returns false if too many clients wait for their first use */
  addClient(client: Omit<OAuthClient, 'createdAt'>): Promise<boolean> {
    const now = this.#now();
    return this.#db.write(async (tx) => {
      const unused = isNull(oauthClients.lastUsedAt);
      const present = await tx.select({ clients: count() }).from(oauthClients).where(unused).get();
      if ((present?.clients ?? 0) >= MAX_UNUSED_CLIENTS) {
        // A flood must not evict a client whose person is about to agree.
        const old = await tx
          .select({ id: oauthClients.id })
          .from(oauthClients)
          .where(and(unused, lt(oauthClients.createdAt, now - HOUR_MS)))
          .orderBy(asc(oauthClients.createdAt))
          .get();
        if (!old) return false;
        await tx.delete(oauthClients).where(eq(oauthClients.id, old.id));
      }
      await tx.insert(oauthClients).values({
        ...client,
        name: storableText(client.name),
        redirectUris: [...client.redirectUris],
        createdAt: now,
      });
      return true;
    });
  }

  /** @throws ConflictError if the person has too many keys and connected programs */
  addCode(code: NewCode): Promise<void> {
    return this.#db.write(async (tx) => {
      const ofUser = and(eq(apiKeys.userId, code.userId), isNull(apiKeys.revokedAt));
      const present = await tx.select({ keys: count() }).from(apiKeys).where(ofUser).get();
      if ((present?.keys ?? 0) >= MAX_KEYS) throw new ConflictError(serverText('too-many-keys', { count: MAX_KEYS }));
      await tx.insert(oauthCodes).values({ ...code, scopes: [...code.scopes] });
    });
  }

  /**
   * Exchanges a code for a new grant with its first tokens. Whatever the result, the code is used up; presenting it again
   * revokes the grant.
   * @param matches false: it is not presented by the client that it was issued to
   */
  async redeemCode(hash: string, tokens: NewTokens, matches: (code: StoredCode) => boolean): Promise<Issued> {
    const now = this.#now();
    // Guesses of strangers do not wait in the queue of writes.
    if (!(await this.#db.read.select().from(oauthCodes).where(eq(oauthCodes.hash, hash)).get()))
      return { refusal: 'unknown' };
    return this.#db.write(async (tx) => {
      const code = await tx.select().from(oauthCodes).where(eq(oauthCodes.hash, hash)).get();
      if (!code) return { refusal: 'unknown' };
      if (code.usedAt !== null) {
        await revokeGrant(tx, code.grantId, now);
        return { refusal: 'reused' };
      }
      await tx.update(oauthCodes).set({ usedAt: now }).where(eq(oauthCodes.hash, hash));
      if (code.expiresAt <= now) return { refusal: 'expired' };
      if (!matches(code)) return { refusal: 'mismatch' };
      const user = await tx.select({ banned: users.banned }).from(users).where(eq(users.id, code.userId)).get();
      const client = await tx.select().from(oauthClients).where(eq(oauthClients.id, code.clientId)).get();
      if (!client || user?.banned !== false) return { refusal: 'unknown' };
      await tx.insert(apiKeys).values({
        id: code.grantId,
        userId: code.userId,
        name: client.name,
        prefix: '',
        // No text has this hash, so the row cannot be used as a key.
        hash: `oauth ${code.grantId}`,
        scopes: JSON.stringify(code.scopes),
        oauthClientId: client.id,
        expiresAt: tokens.refresh.expiresAt,
        createdAt: now,
      });
      await addTokens(tx, code.grantId, tokens);
      await tx.update(oauthClients).set({ lastUsedAt: now }).where(eq(oauthClients.id, client.id));
      return { scopes: code.scopes, grantId: code.grantId };
    });
  }

  /** Exchanges a refresh token for new tokens; presenting it again revokes the grant. */
  async refresh(hash: string, clientId: string, tokens: NewTokens): Promise<Issued> {
    const now = this.#now();
    if (!(await readToken(this.#db.read, hash))) return { refusal: 'unknown' };
    return this.#db.write(async (tx) => {
      const found = await readToken(tx, hash);
      if (found?.token.kind !== 'refresh' || found.grant.oauthClientId !== clientId) return { refusal: 'unknown' };
      const { token, grant } = found;
      if (token.usedAt !== null) {
        await revokeGrant(tx, grant.id, now);
        return { refusal: 'reused' };
      }
      if (token.expiresAt <= now || (grant.expiresAt ?? 0) <= now) return { refusal: 'expired' };
      if (grant.revokedAt !== null || found.banned !== false) return { refusal: 'unknown' };
      await tx.update(oauthTokens).set({ usedAt: now }).where(eq(oauthTokens.hash, hash));
      await tx.update(apiKeys).set({ expiresAt: tokens.refresh.expiresAt }).where(eq(apiKeys.id, grant.id));
      await addTokens(tx, grant.id, tokens);
      await tx.update(oauthClients).set({ lastUsedAt: now }).where(eq(oauthClients.id, clientId));
      return { scopes: JSON.parse(grant.scopes) as readonly Scope[], grantId: grant.id };
    });
  }

  /** Revokes the grant of a token of this client. @returns the revoked grant; null if there is none */
  async revoke(hash: string, clientId: string): Promise<RevokedGrant | null> {
    const now = this.#now();
    if (!(await readToken(this.#db.read, hash))) return null;
    return this.#db.write(async (tx) => {
      const found = await readToken(tx, hash);
      if (found?.grant.oauthClientId !== clientId || found.grant.revokedAt !== null) return null;
      await revokeGrant(tx, found.grant.id, now);
      return { id: found.grant.id, userId: found.grant.userId, name: found.grant.name };
    });
  }

  /** Id of the grant of an access token that has not expired; null for every other text. */
  async grantOf(hash: string): Promise<string | null> {
    const token = await this.#db.read.select().from(oauthTokens).where(eq(oauthTokens.hash, hash)).get();
    return token?.kind === 'access' && token.expiresAt > this.#now() ? token.grantId : null;
  }

  /** Deletes what has expired: codes, tokens, clients that nobody uses. Expired grants count as revoked from now on. */
  deleteExpired(): Promise<void> {
    const now = this.#now();
    return this.#db.write(async (tx) => {
      // A used code stays for an hour, as long as the access token that it was exchanged for.
      await tx.delete(oauthCodes).where(lte(oauthCodes.expiresAt, now - HOUR_MS));
      await tx.delete(oauthTokens).where(lte(oauthTokens.expiresAt, now));
      await tx
        .update(apiKeys)
        .set({ revokedAt: now })
        .where(and(isNotNull(apiKeys.oauthClientId), isNull(apiKeys.revokedAt), lte(apiKeys.expiresAt, now)));
      const isUnused = and(isNull(oauthClients.lastUsedAt), lte(oauthClients.createdAt, now - UNUSED_MS));
      await tx.delete(oauthClients).where(or(isUnused, lte(oauthClients.lastUsedAt, now - FORGOTTEN_MS)));
    });
  }
}

async function readToken(tx: StoreReader, hash: string) {
  return tx
    .select({ token: oauthTokens, grant: apiKeys, banned: users.banned })
    .from(oauthTokens)
    .innerJoin(apiKeys, eq(apiKeys.id, oauthTokens.grantId))
    .leftJoin(users, eq(users.id, apiKeys.userId))
    .where(eq(oauthTokens.hash, hash))
    .get();
}

async function addTokens(tx: StoreTransaction, grantId: string, { access, refresh }: NewTokens): Promise<void> {
  await tx.insert(oauthTokens).values([
    { ...access, grantId, kind: 'access' },
    { ...refresh, grantId, kind: 'refresh' },
  ]);
  // A client that refreshes without a pause must not fill the database.
  for (const [kind, kept] of [
    ['access', KEPT_ACCESS_TOKENS],
    ['refresh', KEPT_REFRESH_TOKENS],
  ] as const) {
    const isOfKind = and(eq(oauthTokens.grantId, grantId), eq(oauthTokens.kind, kind));
    const newest = tx
      .select({ hash: oauthTokens.hash })
      .from(oauthTokens)
      .where(isOfKind)
      .orderBy(desc(oauthTokens.expiresAt))
      .limit(kept);
    await tx.delete(oauthTokens).where(and(isOfKind, notInArray(oauthTokens.hash, newest)));
  }
}

async function revokeGrant(tx: StoreTransaction, id: string, now: number): Promise<void> {
  await tx
    .update(apiKeys)
    .set({ revokedAt: now })
    .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt)));
}
