import { and, eq, gte, isNull, like, lt, not, notExists, or, type SQL, sql } from 'drizzle-orm';
import { yieldToEventLoop } from '#server/core/async';
import { ConflictError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { Message, NewMessage } from '#server/core/conversation/messages';
import { DEFAULT_SESSION_TITLE } from '#server/core/conversation/sessions';
import type { Adopted } from '#server/core/conversation/session-export';
import { serverText } from '#server/core/messages/server-text';
import {
  compactionLease,
  compactionLeaseColumns,
  createCompactionLeases,
} from '#server/conversation/store/compaction-lease';
import type { Database, StoreReader, StoreTransaction } from '#server/platform/database/database';
import { deleteInPieces } from '#server/conversation/store/sessions/delete-session';
import { type LeaseWatch, newLease } from '#server/platform/database/leases';
import { insertPreferences } from '#server/conversation/store/sessions/preference-repository';
import { insertMessages } from '#server/conversation/store/message-writer';
import { messageParts, messages, sessions } from '#server/platform/database/schema/sessions';
import { turns } from '#server/platform/database/schema/turns';
import { storableText } from '#server/platform/database/json-column';
import { runningIn } from '#server/conversation/store/turn-rows';

/* Appends a conversation. A short one is one transaction. A long one is stored in batches, so that other reads and
   writes can run in between: until the last batch is stored, its messages are marked as superseded by the import and
   stay hidden; then one statement shows all of them. During that time the import holds the session's compaction lease,
   so new messages wait. If the process dies, the lease expires and the hidden messages are deleted. */

/** Maximum parts and approximate maximum characters of one transaction, which stores at least one message. */
const PARTS_AT_ONCE = 200;
const CHARACTERS_AT_ONCE = 300_000;
/** Duration of the lease after each batch; milliseconds. */
const LEASE_MS = 30_000;

/** Prefix of the owner ids of imports; no message id starts with it. */
const IMPORT = 'imp_';
const IMPORTS_END = 'imp`';
/** Owner of the remaining messages of imports that have lost their session: no import can publish them. */
const ABANDONED = `${IMPORT}abandoned`;

/** Messages of unfinished imports, which are hidden. */
const isStaged = and(gte(messages.supersededBy, IMPORT), lt(messages.supersededBy, IMPORTS_END));
export const isNotStaged = or(isNull(messages.supersededBy), not(like(messages.supersededBy, `${IMPORT}%`)));

/**
 * Appends messages that belong to no turn, with their adopted data: all or nothing.
 * @param now epoch milliseconds
 * @throws NotFoundError, ConflictError while a turn runs, another import runs, or (for a long one) a compaction runs
 */
export async function appendConversation(
  db: Database,
  sessionId: string,
  newMessages: readonly NewMessage[],
  adopted: Adopted,
  now: () => number,
  watch: LeaseWatch,
): Promise<Message[]> {
  const pieces = inPieces(newMessages);
  const first = pieces.next().value ?? [];
  if (first.length === newMessages.length)
    return db.write(async (tx) => {
      await requireNoImport(tx, sessionId, watch, now());
      await requireNoTurn(tx, sessionId);
      const stored = await insertMessages(tx, sessionId, first, now());
      await adopt(tx, sessionId, adopted, stored, now());
      return stored;
    });

  const compactions = createCompactionLeases(db, now, watch);
  const { leaseOwner, leaseMs } = newLease(LEASE_MS);
  const lease = { leaseOwner: `${createId('imp')}:${leaseOwner}`, leaseMs };
  const hold = async () => {
    if (await compactions.acquire(sessionId, lease)) return;
    throw new ConflictError(serverText('messages-being-changed'));
  };
  const stored: Message[] = [];
  const stage = async (piece: readonly NewMessage[]) => {
    await hold();
    const staged = { supersededBy: lease.leaseOwner };
    stored.push(...(await db.write((tx) => insertMessages(tx, sessionId, piece, now(), staged))));
    await yieldToEventLoop();
  };
  try {
    await hold();
    await requireNoTurn(db.read, sessionId);
    await stage(first);
    for (const piece of pieces) await stage(piece);
    await db.write(async (tx) => {
      await publish(tx, sessionId, lease.leaseOwner, stored.length, now());
      await adopt(tx, sessionId, adopted, stored, now());
    });
    return stored.map((message) => ({ ...message, supersededBy: null }));
  } catch (error) {
    // Messages that cannot be deleted now stay hidden and are deleted after the lease expires.
    await deleteStaged(db, eq(messages.supersededBy, lease.leaseOwner)).catch(() => undefined);
    throw error;
  } finally {
    await compactions.release(sessionId, lease.leaseOwner).catch(() => undefined);
  }
}

/** Messages of imports that have lost their session. */
function isAbandonedImport(db: StoreReader): SQL | undefined {
  const holder = db
    .select({ one: sql`1` })
    .from(sessions)
    .where(and(eq(sessions.id, messages.sessionId), eq(sessions.compactionLeaseOwner, messages.supersededBy)));
  return and(isStaged, notExists(holder));
}

export function selectAbandonedImports(db: StoreReader) {
  return db.select({ id: messages.id }).from(messages).where(isAbandonedImport(db)).limit(1);
}

/** Deletes the messages of imports that have lost their session; first release the imports whose lease has expired. */
export async function deleteAbandonedImports(db: Database): Promise<void> {
  if ((await selectAbandonedImports(db.read)).length === 0) return;
  const isAbandoned = isAbandonedImport(db.read);
  // One update for all: an import that was only delayed then detects that it is incomplete, regardless of when the rows
  // are deleted.
  await db.write((tx) => tx.update(messages).set({ supersededBy: ABANDONED }).where(isAbandoned));
  await deleteStaged(db, eq(messages.supersededBy, ABANDONED));
}

/** Deletes parts first, because they may be large. */
async function deleteStaged(db: Database, where: SQL): Promise<void> {
  const ofStaged = sql`${messageParts.messageId} in ${db.read.select({ id: messages.id }).from(messages).where(where)}`;
  await deleteInPieces(db, {
    table: messageParts,
    where: ofStaged,
    bytes: sql`octet_length(${messageParts.content})`,
  });
  await deleteInPieces(db, { table: messages, where });
}

/** Publishes the messages of an import. @throws ConflictError if it has lost the session or some of them */
async function publish(tx: StoreTransaction, sessionId: string, owner: string, count: number, now: number) {
  const isHeld = and(eq(sessions.id, sessionId), eq(sessions.compactionLeaseOwner, owner));
  const held = await tx.update(sessions).set({ updatedAt: now }).where(isHeld).run();
  const standing = { supersededBy: null };
  const { rowsAffected } = await tx.update(messages).set(standing).where(eq(messages.supersededBy, owner)).run();
  if (held.rowsAffected === 1 && rowsAffected === count) return;
  throw new ConflictError(serverText('messages-interrupted'));
}

/** @throws ConflictError */
async function requireNoTurn(db: StoreReader, sessionId: string): Promise<void> {
  const running = await db.select({ id: turns.id }).from(turns).where(runningIn(sessionId)).get();
  if (running) throw new ConflictError(serverText('turn-is-running'));
}

/** Prevents other messages between those of an import. @throws ConflictError */
async function requireNoImport(tx: StoreTransaction, sessionId: string, watch: LeaseWatch, now: number) {
  const isImporting = and(eq(sessions.id, sessionId), like(sessions.compactionLeaseOwner, `${IMPORT}%`));
  const row = await tx.select(compactionLeaseColumns).from(sessions).where(isImporting).get();
  if (row && !watch.hasRunOut(compactionLease(row), now))
    throw new ConflictError(serverText('messages-are-being-imported'));
}

async function adopt(
  tx: StoreTransaction,
  sessionId: string,
  { instructions = null, title, wishes = [] }: Adopted,
  stored: readonly Message[],
  now: number,
): Promise<void> {
  const isSession = eq(sessions.id, sessionId);
  if (instructions !== null)
    await tx
      .update(sessions)
      .set({ instructions: storableText(instructions) })
      .where(isSession);
  if (title !== undefined)
    await tx
      .update(sessions)
      .set({ title: storableText(title) })
      .where(and(isSession, eq(sessions.title, DEFAULT_SESSION_TITLE)));
  const quotes = wishes.map(({ quote, message }) => ({ quote, messageId: stored[message]!.id }));
  await insertPreferences(tx, sessionId, quotes, now);
}

function* inPieces(newMessages: readonly NewMessage[]): Generator<readonly NewMessage[], undefined> {
  let piece: NewMessage[] = [];
  let [parts, characters] = [0, 0];
  for (const message of newMessages) {
    piece.push(message);
    parts += message.parts.length + 1;
    characters += message.parts.reduce((sum, { content }) => sum + JSON.stringify(content).length, 0);
    if (parts < PARTS_AT_ONCE && characters < CHARACTERS_AT_ONCE) continue;
    yield piece;
    piece = [];
    [parts, characters] = [0, 0];
  }
  if (piece.length > 0) yield piece;
}
