import { and, eq } from 'drizzle-orm';
import type { BeginOutcome, RepeatedRequest } from '#server/core/turns';
import type { StoreReader, StoreTransaction } from '#server/store/database';
import { findPosition } from '#server/store/queue-repository';
import { acceptedRequests } from '#server/store/schema/turns';

/** Looks up the request that was accepted under this id of its client; null when there was none. */
export async function findAccepted(
  reader: Pick<StoreReader, 'select'>,
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

/** Remembers the request for as long as its session exists, also when its message waits no longer. */
export async function rememberAccepted(
  tx: StoreTransaction,
  { sessionId, clientRequestId }: { readonly sessionId: string; readonly clientRequestId: string | null },
  outcome: Exclude<BeginOutcome, { kind: 'repeated' }>,
  createdAt: number,
): Promise<void> {
  if (clientRequestId === null) return;
  const acceptedAs = outcome.kind === 'queued' ? outcome.item.id : outcome.message.id;
  await tx.insert(acceptedRequests).values({ sessionId, clientRequestId, acceptedAs, createdAt });
}
