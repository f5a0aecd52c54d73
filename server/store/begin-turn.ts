import { and, count, eq, lte } from 'drizzle-orm';
import { QueueFullError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { Message, NewMessage, QueuedMessage, Turn } from '#server/core/messages';
import type { StoreTransaction } from '#server/store/database';
import { queuedMessageFromRow } from '#server/store/queued-message-codec';
import { queuedMessages, turns } from '#server/store/schema';

/** How many messages of one session may wait. */
export const MAX_QUEUED = 100;

export interface Lease {
  /** Who holds it: an id of this server process. */
  readonly leaseOwner: string;
  /** How long it holds unless it is renewed, milliseconds. */
  readonly leaseMs: number;
}

export interface TurnRequest extends Lease {
  readonly sessionId: string;
  /** The user's message. */
  readonly message: NewMessage;
  readonly modelId: string | null;
  /** The client's id for this request; the same id again starts nothing. */
  readonly clientRequestId: string | null;
}

/** What became of a request: a turn, or a place in the queue (`position` counts from 1). */
export type BeginOutcome =
  | { readonly kind: 'started'; readonly turn: Turn; readonly message: Message }
  | { readonly kind: 'queued'; readonly item: QueuedMessage; readonly position: number }
  | { readonly kind: 'repeated'; readonly turnId: string; readonly queued: null }
  | {
      readonly kind: 'repeated';
      readonly turnId: null;
      readonly queued: { readonly id: string; readonly position: number };
    };

/** What became of a request with the same client id; null for a new one. */
export async function findFormer(
  tx: StoreTransaction,
  sessionId: string,
  clientRequestId: string | null,
): Promise<BeginOutcome | null> {
  if (clientRequestId === null) return null;
  const turn = await tx
    .select({ id: turns.id })
    .from(turns)
    .where(and(eq(turns.sessionId, sessionId), eq(turns.clientRequestId, clientRequestId)))
    .get();
  if (turn) return { kind: 'repeated', turnId: turn.id, queued: null };
  const item = await tx
    .select({ id: queuedMessages.id })
    .from(queuedMessages)
    .where(and(eq(queuedMessages.sessionId, sessionId), eq(queuedMessages.clientRequestId, clientRequestId)))
    .get();
  if (!item) return null;
  return {
    kind: 'repeated',
    turnId: null,
    queued: { id: item.id, position: await positionOf(tx, sessionId, item.id) },
  };
}

async function positionOf(tx: StoreTransaction, sessionId: string, lastId: string): Promise<number> {
  const row = await tx
    .select({ ahead: count() })
    .from(queuedMessages)
    .where(and(eq(queuedMessages.sessionId, sessionId), lte(queuedMessages.id, lastId)))
    .get();
  return row?.ahead ?? 0;
}

/**
 * Puts the request's message at the end of the session's queue.
 *
 * @throws QueueFullError when it is full.
 */
export async function enqueue(tx: StoreTransaction, request: TurnRequest, createdAt: number): Promise<BeginOutcome> {
  const { sessionId, message, modelId, clientRequestId } = request;
  const waiting = await tx
    .select({ count: count() })
    .from(queuedMessages)
    .where(eq(queuedMessages.sessionId, sessionId))
    .get();
  const position = (waiting?.count ?? 0) + 1;
  if (position > MAX_QUEUED) throw new QueueFullError(MAX_QUEUED);
  const row = {
    id: createId('que'),
    sessionId,
    parts: JSON.stringify(message.parts),
    modelId,
    clientRequestId,
    createdAt,
  };
  await tx.insert(queuedMessages).values(row);
  return { kind: 'queued', item: queuedMessageFromRow(row), position };
}
