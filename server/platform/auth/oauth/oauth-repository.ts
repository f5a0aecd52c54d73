import { and, asc, count, desc, eq, isNotNull, isNull, lt, lte, notInArray, or, sql } from 'drizzle-orm';
import type { Scope } from '#server/core/admin/access-rights';
import type { OAuthClient, RevokedGrant } from '#server/core/oauth/authorization-request';
import type { Database, StoreReader, StoreTransaction } from '#server/platform/database/database';
import { storableText } from '#server/platform/database/json-column';
import { hasTooManyKeys, tooManyKeys } from '#server/platform/auth/store/api-key-repository';
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
  readonly refresh: RefreshHashes & { readonly expiresAt: number };
}

/** Hashes of a refresh token. */
export interface RefreshHashes {
  readonly hash: string;
  /** Hash of the secret that all refresh tokens of a grant have in common. */
  readonly family: string;
}

/** What issuing tokens resulted in: the rights of the grant, or why there are none. */
export type Issued =
  | { readonly scopes: readonly Scope[]; readonly grantId: string }
  | { readonly refusal: 'unknown' | 'redirect' | 'expired' | 'full' }
  /**
   * A code or token was presented a second time, or a code by somebody else. `revoked`: its grant, if it was not revoked
   * before, or the grant that the code would have created.
   */
  | { readonly refusal: 'reused' | 'mismatch'; readonly revoked: RevokedGrant | null };

/**
 * How the request that presents a code fits to it. `mismatch`: presented with another client or a wrong verifier, as a
 * thief would do, so the code is used up. `redirect`: another redirect address; the client may correct it.
 */
export type CodeMatch = 'ok' | 'mismatch' | 'redirect';

/** Maximum clients that nobody has connected yet: anybody may register. */
const MAX_UNUSED_CLIENTS = 1_000;
/** Access tokens of one grant that work at the same time: each parallel call of a program may have got its own. */
const KEPT_ACCESS_TOKENS = 50;
/**
 * Time in which a refresh token may be presented again, if nobody has used its successor; milliseconds. The official SDK
 * refreshes once for each of its parallel calls. A choice, not measured: as long as a slow answer takes.
 */
const REPEAT_MS = 10_000;
/** Age from which an unused client may be deleted for a new one; milliseconds. Its person may be about to sign in. */
const EVICTABLE_MS = 15 * 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * Age at which a client that nobody connected is deleted; milliseconds. Programs keep their registration, and many do not
 * register again by themselves.
 */
const UNUSED_MS = 30 * DAY_MS;
/** Time without new tokens after which a client is deleted, longer than any grant; milliseconds. */
const FORGOTTEN_MS = 180 * DAY_MS;

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
          .where(and(unused, lt(oauthClients.createdAt, now - EVICTABLE_MS)))
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

  /** Keeps a client from being deleted as unused: a signed-in person has opened its request. */
  async touchClient(id: string): Promise<void> {
    const now = this.#now();
    const isOld = or(isNull(oauthClients.lastUsedAt), lt(oauthClients.lastUsedAt, now - DAY_MS));
    const old = and(eq(oauthClients.id, id), isOld);
    if (!(await this.#db.read.select({ id: oauthClients.id }).from(oauthClients).where(old).get())) return;
    await this.#db.write(async (tx) => {
      await tx.update(oauthClients).set({ lastUsedAt: now }).where(old);
    });
  }

  /**
   * @param described the client of the code as its document describes it now; null: the client has registered
   * @throws ConflictError if the person has too many keys and connected programs
   */
  addCode(code: NewCode, described: OAuthClient | null = null): Promise<void> {
    const now = this.#now();
    return this.#db.write(async (tx) => {
      if (await hasTooManyKeys(tx, code.userId)) throw tooManyKeys();
      if (described !== null) {
        const { id, name, redirectUris } = described;
        const fields = { name: storableText(name), redirectUris: [...redirectUris], lastUsedAt: now };
        await tx
          .insert(oauthClients)
          .values({ id, createdAt: now, ...fields })
          .onConflictDoUpdate({ target: oauthClients.id, set: fields });
      }
      await tx.insert(oauthCodes).values({ ...code, scopes: [...code.scopes] });
    });
  }

  /**
   * Exchanges a code for a new grant with its first tokens. Presenting a used code again revokes the grant.
   * @param match compares the code with the request that presents it
   */
  async redeemCode(hash: string, tokens: NewTokens, match: (code: StoredCode) => CodeMatch): Promise<Issued> {
    const now = this.#now();
    // Guesses of strangers do not wait in the queue of writes.
    if (!(await this.#db.read.select().from(oauthCodes).where(eq(oauthCodes.hash, hash)).get()))
      return { refusal: 'unknown' };
    return this.#db.write(async (tx) => {
      const code = await tx.select().from(oauthCodes).where(eq(oauthCodes.hash, hash)).get();
      if (!code) return { refusal: 'unknown' };
      if (code.usedAt !== null) return { refusal: 'reused', revoked: await revokeGrant(tx, code.grantId, now) };
      if (code.expiresAt <= now) return { refusal: 'expired' };
      const fit = match(code);
      if (fit === 'redirect') return { refusal: fit };
      // Several codes may wait while the number of keys allows only one more.
      if (fit === 'ok' && (await hasTooManyKeys(tx, code.userId))) return { refusal: 'full' };
      await tx.update(oauthCodes).set({ usedAt: now }).where(eq(oauthCodes.hash, hash));
      const user = await tx.select({ banned: users.banned }).from(users).where(eq(users.id, code.userId)).get();
      const client = await tx.select().from(oauthClients).where(eq(oauthClients.id, code.clientId)).get();
      if (fit === 'mismatch')
        return { refusal: fit, revoked: client ? { id: code.grantId, userId: code.userId, name: client.name } : null };
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

  /**
   * Exchanges a refresh token for new tokens. A token of the same family that is not the newest one was used before, however
   * long ago, and revokes the grant. The one before the newest may be presented again for `REPEAT_MS`.
   * @param tokens the refresh token has to be the same for each request that presents the same token
   */
  async refresh(presented: RefreshHashes, clientId: string, tokens: NewTokens): Promise<Issued> {
    const now = this.#now();
    if (!(await readGrant(this.#db.read, presented))) return { refusal: 'unknown' };
    return this.#db.write(async (tx) => {
      const found = await readGrant(tx, presented);
      if (!found || found.token.kind === 'access' || found.grant.oauthClientId !== clientId)
        return { refusal: 'unknown' };
      const { token, grant } = found;
      const isRepeated = await isRepeat(tx, token, tokens.refresh.hash, now);
      if (token.kind === 'family' || (token.usedAt !== null && !isRepeated))
        return { refusal: 'reused', revoked: await revokeGrant(tx, grant.id, now) };
      if (token.expiresAt <= now || (grant.expiresAt ?? 0) <= now) return { refusal: 'expired' };
      if (grant.revokedAt !== null || found.banned !== false) return { refusal: 'unknown' };
      const issued = { scopes: JSON.parse(grant.scopes) as readonly Scope[], grantId: grant.id };
      if (isRepeated) {
        await addAccessToken(tx, grant.id, tokens);
        return issued;
      }
      // A token without a family was issued by an earlier version: only its row tells that it was used.
      const hasFamily = tokens.refresh.family === presented.family;
      if (hasFamily) await deleteRepeatable(tx, grant.id, now);
      await tx
        .update(oauthTokens)
        .set({ usedAt: now, ...(hasFamily && { expiresAt: now + REPEAT_MS }) })
        .where(eq(oauthTokens.hash, token.hash));
      await tx.update(apiKeys).set({ expiresAt: tokens.refresh.expiresAt }).where(eq(apiKeys.id, grant.id));
      await addTokens(tx, grant.id, tokens);
      await tx.update(oauthClients).set({ lastUsedAt: now }).where(eq(oauthClients.id, clientId));
      return issued;
    });
  }

  /** Revokes the grant of a token of this client. @returns the revoked grant; null if there is none */
  async revoke(presented: RefreshHashes, clientId: string): Promise<RevokedGrant | null> {
    const now = this.#now();
    if (!(await readGrant(this.#db.read, presented))) return null;
    return this.#db.write(async (tx) => {
      const found = await readGrant(tx, presented);
      return found?.grant.oauthClientId === clientId ? revokeGrant(tx, found.grant.id, now) : null;
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

/** Row of a token with its grant; for a refresh token that is not the newest one, the row of its family. */
async function readGrant(tx: StoreReader, { hash, family }: RefreshHashes) {
  const presented = await readToken(tx, hash);
  if (presented) return presented;
  const found = await readToken(tx, family);
  return found?.token.kind === 'family' ? found : undefined;
}

/** True if a refresh token was used a moment ago, and nobody has used its successor yet. */
async function isRepeat(
  tx: StoreReader,
  { usedAt, grantId }: typeof oauthTokens.$inferSelect,
  successor: string,
  now: number,
): Promise<boolean> {
  if (usedAt === null || usedAt + REPEAT_MS <= now) return false;
  const newest = await tx.select().from(oauthTokens).where(eq(oauthTokens.hash, successor)).get();
  return newest?.kind === 'refresh' && newest.grantId === grantId && newest.usedAt === null;
}

/** Deletes a used token that could be presented again: its successor is about to be used. */
async function deleteRepeatable(tx: StoreTransaction, grantId: string, now: number): Promise<void> {
  const isUsed = and(eq(oauthTokens.kind, 'refresh'), isNotNull(oauthTokens.usedAt));
  // Used tokens without a family stay: they expire later.
  const isRepeatable = lte(oauthTokens.expiresAt, now + REPEAT_MS);
  await tx.delete(oauthTokens).where(and(eq(oauthTokens.grantId, grantId), isUsed, isRepeatable));
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

async function addTokens(tx: StoreTransaction, grantId: string, tokens: NewTokens): Promise<void> {
  const { hash, family, expiresAt } = tokens.refresh;
  await tx.insert(oauthTokens).values({ hash, expiresAt, grantId, kind: 'refresh' });
  const written = await tx
    .insert(oauthTokens)
    .values({ hash: family, expiresAt, grantId, kind: 'family' })
    .onConflictDoUpdate({
      target: oauthTokens.hash,
      set: { expiresAt },
      setWhere: sql`${eq(oauthTokens.grantId, grantId)} and ${eq(oauthTokens.kind, 'family')}`,
    })
    .returning({ hash: oauthTokens.hash });
  if (written.length === 0) throw new Error('The family of a refresh token belongs to another grant.');
  await addAccessToken(tx, grantId, tokens);
}

async function addAccessToken(tx: StoreTransaction, grantId: string, { access }: NewTokens): Promise<void> {
  await tx.insert(oauthTokens).values({ ...access, grantId, kind: 'access' });
  // A client that refreshes without a pause must not fill the database.
  const isAccess = and(eq(oauthTokens.grantId, grantId), eq(oauthTokens.kind, 'access'));
  const newest = tx
    .select({ hash: oauthTokens.hash })
    .from(oauthTokens)
    .where(isAccess)
    .orderBy(desc(oauthTokens.expiresAt))
    .limit(KEPT_ACCESS_TOKENS);
  await tx.delete(oauthTokens).where(and(isAccess, notInArray(oauthTokens.hash, newest)));
}

/** @returns null if there is no such grant, or it was revoked before */
async function revokeGrant(tx: StoreTransaction, id: string, now: number): Promise<RevokedGrant | null> {
  const valid = and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt));
  const grant = await tx.select().from(apiKeys).where(valid).get();
  if (!grant) return null;
  await tx.update(apiKeys).set({ revokedAt: now }).where(valid);
  return { id: grant.id, userId: grant.userId, name: grant.name };
}
