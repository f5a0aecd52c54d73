import { and, eq, inArray } from 'drizzle-orm';
import type { BeginOutcome, RepeatedRequest } from '#server/core/conversation/turns';
import type { StoreReader, StoreTransaction } from '#server/platform/database/database';
import { findPosition } from '#server/conversation/store/queue-repository';
import { acceptedRequests } from '#server/platform/database/schema/turns';

/** Finds the accepted request with this id of its client; null if none exists. */
export async function findAccepted(
  reader: StoreReader,
  sessionId: string,
  clientRequestId: string,
): Promise<RepeatedRequest | null> {
  const row = await reader
    .select({ id: acceptedRequests.acceptedAs })
    .from(acceptedRequests)
    .where(and(eq(acceptedRequests.sessionId, sessionId), eq(acceptedRequests.clientRequestId, clientRequestId)))
    .get();
  if (!row) return null;
  return { kind: 'repeated', id: row.id, position: await findPosition(reader, sessionId, row.id) };
}

/**
 * Stores the request for the lifetime of its session, also after its message has left the queue. If the replaced
 * message had this client id, the id now refers to the new message.
 */
export function rememberAccepted(
  tx: StoreTransaction,
  { sessionId, clientRequestId }: { readonly sessionId: string; readonly clientRequestId: string | null },
  outcome: Exclude<BeginOutcome, { kind: 'repeated' }>,
  createdAt: number,
): void {
  if (clientRequestId === null) return;
  const acceptedAs = outcome.kind === 'queued' ? outcome.item.id : outcome.message.id;
  tx.later(() =>
    tx
      .insert(acceptedRequests)
      .values({ sessionId, clientRequestId, acceptedAs, createdAt })
      .onConflictDoUpdate({
        target: [acceptedRequests.sessionId, acceptedRequests.clientRequestId],
        set: { acceptedAs, createdAt },
      }),
  );
}

/** Stores the message that requests became a part of when they left the queue. */
export function rememberMessage(
  tx: StoreTransaction,
  sessionId: string,
  queueIds: readonly string[],
  messageId: string,
): void {
  if (queueIds.length === 0) return;
  tx.later(() =>
    tx
      .update(acceptedRequests)
      .set({ acceptedAs: messageId })
      .where(and(eq(acceptedRequests.sessionId, sessionId), inArray(acceptedRequests.acceptedAs, queueIds))),
  );
}
