import { and, desc, eq, gte, isNull, or, sql } from 'drizzle-orm';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import type { StoreReader, StoreTransaction } from '#server/platform/database/database';
import { releaseCompactions } from '#server/conversation/store/compaction-lease';
import { findActiveCompaction } from '#server/conversation/store/compaction-rows';
import { readQueue } from '#server/conversation/store/queue-repository';
import type { LeaseWatch } from '#server/platform/database/leases';
import { messageParts, messages, seenPlaces, sessions } from '#server/platform/database/schema/sessions';
import { turns } from '#server/platform/database/schema/turns';
import { readSessionState } from '#server/conversation/store/turn-rows';

/** A message that may be replaced: everything from its `seq` on is then superseded. */
interface Replaceable {
  readonly seq: number;
  /** Turns of the superseded messages. */
  readonly turnIds: readonly string[];
}

/**
 * Finds the newest request, which another message may replace.
 *
 * @param now epoch milliseconds
 * @throws NotFoundError if the session does not exist.
 * @throws ConflictError if it is not the newest request, the session is busy or has queued messages, or a summary
 * covers it.
 */
export async function findReplaceable(
  db: StoreReader,
  sessionId: string,
  messageId: string,
  now: number,
  watch: LeaseWatch,
): Promise<Replaceable> {
  const session = await readSessionState(db, sessionId, now, watch);
  if (!session) throw new NotFoundError('session', sessionId);
  if (session.running) throw new ConflictError(serverText('answer-is-being-written'));
  if (session.compacting) throw new ConflictError(serverText('summary-is-running'));
  if ((await readQueue(db, sessionId)).length > 0) throw new ConflictError(serverText('messages-are-waiting'));
  const newest = await newestRequest(db, sessionId);
  if (newest?.id !== messageId) throw new ConflictError(serverText('not-the-newest-message'));
  if (newest.seq < (await viewStart(db, sessionId))) throw new ConflictError(serverText('message-is-summarized'));
  const taken = await db
    .selectDistinct({ turnId: messages.turnId })
    .from(messages)
    .where(standingFrom(sessionId, newest.seq));
  return { seq: newest.seq, turnIds: taken.flatMap(({ turnId }) => turnId ?? []) };
}

/**
 * Marks everything from there on as superseded by the replacing message. Must run in the transaction of
 * `findReplaceable`, so that the session is still as it was checked, and before the replacing message is inserted, which
 * would otherwise supersede itself.
 * @param supersededBy id of the replacing message
 */
export async function supersede(
  tx: StoreTransaction,
  sessionId: string,
  { seq }: Replaceable,
  supersededBy: string,
): Promise<void> {
  await tx.update(messages).set({ supersededBy }).where(standingFrom(sessionId, seq));
  await rereadSeen(tx, sessionId);
  // A compaction with an expired lease may have read superseded messages: it must not be stored.
  await releaseCompactions(tx, eq(sessions.id, sessionId));
}

/**
 * Recomputes what the assistant has seen from the results that are not superseded; otherwise triggers keep it up to
 * date.
 */
async function rereadSeen(tx: StoreTransaction, sessionId: string): Promise<void> {
  await tx.delete(seenPlaces).where(eq(seenPlaces.sessionId, sessionId));
  await tx.run(sql`
    insert into ${seenPlaces} (session_id, key, revision)
    select ${sessionId}, seen.key, max(seen.value)
    from ${messageParts}
    join ${messages} on ${messages.id} = ${messageParts.messageId}
    join json_each(${messageParts.content}, '$.seen') as seen
    where ${messageParts.sessionId} = ${sessionId} and ${messageParts.type} = 'tool-result'
      and instr(${messageParts.content}, '"seen"') > 0 and ${messages.supersededBy} is null
    group by seen.key`);
}

/** Matches messages that are neither superseded nor summaries. */
function standingFrom(sessionId: string, seq: number) {
  return and(
    eq(messages.sessionId, sessionId),
    gte(messages.seq, seq),
    eq(messages.isSummary, false),
    isNull(messages.supersededBy),
  );
}

/** The user's newest message that started a turn or was imported: not one that was added to a running turn. */
function newestRequest(db: StoreReader, sessionId: string) {
  return db
    .select({ id: messages.id, seq: messages.seq })
    .from(messages)
    .leftJoin(turns, eq(turns.id, messages.turnId))
    .where(
      and(
        standingFrom(sessionId, 0),
        eq(messages.role, 'user'),
        or(isNull(messages.turnId), eq(turns.userMessageId, messages.id)),
      ),
    )
    .orderBy(desc(messages.seq))
    .limit(1)
    .get();
}

/** The `seq` from which the active compaction kept all messages; 0 if no compaction is active. */
async function viewStart(db: StoreReader, sessionId: string): Promise<number> {
  const compaction = await findActiveCompaction(db, sessionId);
  const boundary = compaction?.firstKeptMessageId ?? compaction?.summaryMessageId;
  if (!boundary) return 0;
  const row = await db.select({ seq: messages.seq }).from(messages).where(eq(messages.id, boundary)).get();
  return row?.seq ?? 0;
}
