import { and, desc, eq, gte, isNull, or, sql } from 'drizzle-orm';
import { ConflictError, NotFoundError } from '#server/core/errors';
import type { StoreReader, StoreTransaction } from '#server/store/database';
import { releaseCompactions } from '#server/store/compaction-lease';
import { findActiveCompaction } from '#server/store/compaction-rows';
import { readQueue } from '#server/store/queue-repository';
import type { LeaseWatch } from '#server/store/leases';
import { messageParts, messages, seenPlaces, sessions } from '#server/store/schema/sessions';
import { turns } from '#server/store/schema/turns';
import { readSessionState } from '#server/store/turn-rows';

type Reader = Pick<StoreReader, 'select' | 'selectDistinct'>;

/** A message that may be sent anew: from its `seq` on everything is superseded then. */
interface Replaceable {
  readonly seq: number;
  /** Turns that have had part in what is superseded. */
  readonly turnIds: readonly string[];
}

/**
 * Finds the newest request, in whose place another message may be sent.
 *
 * @throws NotFoundError when there is no such session.
 * @throws ConflictError when it is not the newest request, something has the session or waits, or a summary has it.
 */
export async function findReplaceable(
  db: Reader,
  sessionId: string,
  messageId: string,
  now: number,
  watch: LeaseWatch,
): Promise<Replaceable> {
  const session = await readSessionState(db, sessionId, now, watch);
  if (!session) throw new NotFoundError('session', sessionId);
  if (session.running) throw new ConflictError('An answer is being written. Stop it or wait for its end first.');
  if (session.compacting)
    throw new ConflictError('This conversation is being summarized. Try again when that has ended.');
  if ((await readQueue(db, sessionId)).length > 0)
    throw new ConflictError('Messages are waiting to be sent. Send or remove them first.');
  const newest = await newestRequest(db, sessionId);
  if (newest?.id !== messageId)
    throw new ConflictError('Only the newest message can be sent anew. This one is not the newest.');
  if (newest.seq < (await viewStart(db, sessionId)))
    throw new ConflictError('This message is already part of a summary. Write a new message instead.');
  const taken = await db
    .selectDistinct({ turnId: messages.turnId })
    .from(messages)
    .where(standingFrom(sessionId, newest.seq));
  return { seq: newest.seq, turnIds: taken.flatMap(({ turnId }) => turnId ?? []) };
}

/** Marks everything from there on as superseded by the message that is sent in its place. */
export async function supersede(
  tx: StoreTransaction,
  sessionId: string,
  { seq }: Replaceable,
  supersededBy: string,
): Promise<void> {
  await tx.update(messages).set({ supersededBy }).where(standingFrom(sessionId, seq));
  await rereadSeen(tx, sessionId);
  // A compaction whose lease has run out may have read what no longer stands: it must not be stored.
  await releaseCompactions(tx, eq(sessions.id, sessionId));
}

/** Reads what the assistant has seen from the results that stand; as long as nothing is superseded triggers know it. */
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

/** Neither superseded nor a summary. */
function standingFrom(sessionId: string, seq: number) {
  return and(
    eq(messages.sessionId, sessionId),
    gte(messages.seq, seq),
    eq(messages.isSummary, false),
    isNull(messages.supersededBy),
  );
}

/** The user's newest message that began a turn, or was imported: not one that was drained into a running turn. */
function newestRequest(db: Reader, sessionId: string) {
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

/** The `seq` from which on the active compaction has left everything as it was; 0 while there is none. */
async function viewStart(db: Reader, sessionId: string): Promise<number> {
  const compaction = await findActiveCompaction(db, sessionId);
  const boundary = compaction?.firstKeptMessageId ?? compaction?.summaryMessageId;
  if (!boundary) return 0;
  const row = await db.select({ seq: messages.seq }).from(messages).where(eq(messages.id, boundary)).get();
  return row?.seq ?? 0;
}
