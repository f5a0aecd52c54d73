import { setTimeout as sleep } from 'node:timers/promises';
import { createContextStore } from '#server/store/context-store';
import { createCompactionRepository } from '#server/store/compaction-repository';
import { openDatabase } from '#server/store/database';
import { createMessageRepository } from '#server/store/message-repository';
import { createSessionRepository } from '#server/store/session-repository';

/*
 * The process that dies in compaction-failures.test.ts: it takes the session's compaction lease, tells so, and keeps
 * renewing it as long as it lives.
 */

/** What it tells once it holds the lease. */
export interface HoldsLease {
  readonly owner: string;
}

const HOLDS_MS = 600_000;

const [url, sessionId] = process.argv.slice(2) as [string, string];
const db = await openDatabase({ url });
const store = createContextStore({
  sessions: createSessionRepository(db),
  messages: createMessageRepository(db),
  compactions: createCompactionRepository(db),
});
const lease = await store.holdLease(sessionId, false);
process.send?.({ owner: lease.owner } satisfies HoldsLease);
await sleep(HOLDS_MS);
await lease[Symbol.asyncDispose]();
await db.close();
