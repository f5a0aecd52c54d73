import { serverText } from '#server/core/messages/server-text';
import { and, count, desc, eq, gt, inArray, isNotNull, lt, lte, notExists, or, sql } from 'drizzle-orm';
import {
  CALL_REQUEST_LIFETIME_MS,
  type CallReach,
  type CallRequest,
  type CallRequestStore,
  type NewCallRequest,
} from '#server/core/conversation/pending-approvals';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { JsonValue } from '#server/core/json';
import { toolEffectSchema } from '#server/core/conversation/tool-effect';
import type { Database, StoreReader } from '#server/platform/database/database';
import { apiKeys, users } from '#server/platform/database/schema/people';
import { callRequests } from '#server/platform/database/schema/turns';
import { storableText } from '#server/platform/database/json-column';

/** Maximum number of open calls per key, because people do not read more before they agree. */
const MOST_OPEN = 20;
const MOST_LISTED = 100;
/** Age after which calls are deleted; milliseconds. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

/**
 * `now` returns epoch milliseconds.
 * @param onAsked called when a person has something to decide
 */
export function createCallRequestRepository(
  db: Database,
  now: () => number = Date.now,
  onAsked: () => void = () => undefined,
): CallRequestStore {
  const isOpen = () => and(eq(callRequests.status, 'pending'), gt(callRequests.expiresAt, now()));
  const holds = (inputHash: string) =>
    and(
      eq(callRequests.inputHash, inputHash),
      inArray(callRequests.status, ['pending', 'approved', 'denied']),
      gt(callRequests.expiresAt, now()),
    );

  const read = (tx: StoreReader) =>
    tx
      .select({ request: callRequests, keyName: apiKeys.name, userName: users.name })
      .from(callRequests)
      .leftJoin(apiKeys, eq(apiKeys.id, callRequests.keyId))
      .leftJoin(users, eq(users.id, callRequests.userId));

  async function find(tx: StoreReader, inputHash: string): Promise<CallRequest | null> {
    const newest = [desc(callRequests.createdAt), desc(callRequests.id)];
    const row = await read(tx)
      .where(holds(inputHash))
      .orderBy(...newest)
      .limit(1)
      .get();
    return row ? fromRow(row, now()) : null;
  }

  async function get(tx: StoreReader, id: string): Promise<CallRequest> {
    const row = await read(tx).where(eq(callRequests.id, id)).get();
    if (!row) throw new NotFoundError('call request', id);
    return fromRow(row, now());
  }

  return {
    find: (inputHash) => find(db.read, inputHash),
    get: (id) => get(db.read, id),

    async within(id, reach) {
      const row = await read(db.read)
        .where(and(eq(callRequests.id, id), isWithin(reach)))
        .get();
      if (!row) throw new NotFoundError('call request', id);
      return fromRow(row, now());
    },

    async ask(request) {
      const asked = await db.write(async (tx) => {
        const present = await find(tx, request.inputHash);
        if (present) return present;
        const ofKey = and(eq(callRequests.keyId, request.keyId), isOpen());
        const open = await tx.select({ count: count() }).from(callRequests).where(ofKey).get();
        if ((open?.count ?? 0) >= MOST_OPEN) throw new ConflictError(serverText('calls-wait', { count: MOST_OPEN }));
        const time = now();
        await tx.delete(callRequests).where(lt(callRequests.createdAt, time - KEPT_MS));
        const id = createId('req');
        await tx.insert(callRequests).values(toRow(id, request, time));
        return get(tx, id);
      });
      onAsked();
      return asked;
    },

    use: (id) =>
      db.write(async (tx) => {
        const isApproved = and(eq(callRequests.status, 'approved'), gt(callRequests.expiresAt, now()));
        // The access check was done before the call waited: its key may be revoked, and its owner suspended by now.
        const isOver = or(isNotNull(apiKeys.revokedAt), lte(apiKeys.expiresAt, now()));
        const overKey = tx
          .select()
          .from(apiKeys)
          .where(and(eq(apiKeys.id, callRequests.keyId), isOver));
        const suspended = tx
          .select()
          .from(users)
          .where(and(eq(users.id, callRequests.userId), eq(users.banned, true)));
        const used = await tx
          .update(callRequests)
          .set({ status: 'used' })
          .where(and(eq(callRequests.id, id), isApproved, notExists(overKey), notExists(suspended)))
          .returning({ id: callRequests.id });
        return used.length > 0;
      }),

    decide: (id, reach, { approved, reason, decidedBy }) =>
      db.write(async (tx) => {
        const row = await read(tx)
          .where(and(eq(callRequests.id, id), isWithin(reach)))
          .get();
        if (!row) throw new NotFoundError('call request', id);
        const request = fromRow(row, now());
        if (request.status !== 'pending')
          throw new ConflictError(serverText('call-request-ended', { status: request.status }));
        await tx
          .update(callRequests)
          .set({
            status: approved ? 'approved' : 'denied',
            reason: reason === null ? null : storableText(reason),
            decidedBy,
            // The assistant has as much time to fetch the decision as the person had to make it.
            expiresAt: now() + CALL_REQUEST_LIFETIME_MS,
          })
          .where(eq(callRequests.id, id));
        return get(tx, id);
      }),

    async list(reach) {
      const rows = await read(db.read)
        .where(isWithin(reach))
        .orderBy(
          desc(sql`${callRequests.status} = 'pending' and ${callRequests.expiresAt} > ${now()}`),
          desc(callRequests.createdAt),
          desc(callRequests.id),
        )
        .limit(MOST_LISTED);
      return rows.map((row) => fromRow(row, now()));
    },
  };
}

/** For a query that joins the users of the calls. */
function isWithin({ userId, others, sites }: CallReach) {
  const isTheirs = sites === null ? undefined : inArray(callRequests.siteId, [...sites]);
  if (others === 'all') return isTheirs;
  return and(
    isTheirs,
    or(eq(callRequests.userId, userId), others === 'authors' ? eq(users.role, 'author') : undefined),
  );
}

function toRow(id: string, request: NewCallRequest, time: number): typeof callRequests.$inferInsert {
  return { ...request, id, status: 'pending', createdAt: time, expiresAt: time + CALL_REQUEST_LIFETIME_MS };
}

interface Row {
  readonly request: typeof callRequests.$inferSelect;
  readonly keyName: string | null;
  readonly userName: string | null;
}

function fromRow({ request, keyName, userName }: Row, time: number): CallRequest {
  const { inputHash: _, decidedBy: _by, input, effect, status, ...rest } = request;
  const isOver = (status === 'pending' || status === 'approved') && request.expiresAt <= time;
  return {
    ...rest,
    keyName,
    userName,
    input: input as JsonValue,
    effect: effect === null ? null : toolEffectSchema.parse(effect),
    status: isOver ? 'expired' : status,
  };
}
