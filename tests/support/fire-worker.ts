import { setTimeout as sleep } from 'node:timers/promises';
import type { NewMessage } from '#server/core/conversation/messages';
import { openDatabase } from '#server/platform/database/database';
import { createMessageRepository } from '#server/conversation/store/message-repository';
import { insertMessages } from '#server/conversation/store/message-writer';

/*
 * One of the processes of database-under-fire.test.ts. It opens the database, reports that it is ready, and on
 * `StartFiring` writes with many concurrent writers until all have made their commits.
 */

export interface StartFiring {
  readonly sessionId: string;
  readonly writers: number;
  readonly commitsPerWriter: number;
}

/** What a process believes it has committed, and how often it had to try again. */
export interface FireReport {
  readonly committed: readonly string[];
  readonly retries: number;
}

/** Longer than SQLite waits for a lock, so that the other process meets SQLITE_BUSY. */
const HOLD_MS = 30;
const HOLD_EVERY = 30;
const FAIL_EVERY = 7;

const [name, url] = process.argv.slice(2) as [string, string];
let retries = 0;
const db = await openDatabase({ url, observer: { onBusy: () => void (retries += 1) } });
const repository = createMessageRepository(db);
const committed: string[] = [];

function messageOf(label: string): NewMessage {
  return { role: 'user', parts: [{ type: 'text', content: { text: label } }] };
}

/** Appends while it keeps the lock for a while. */
async function appendSlowly(sessionId: string, label: string): Promise<void> {
  await db.write(async (tx) => {
    await insertMessages(tx, sessionId, [messageOf(label)], Date.now());
    await sleep(HOLD_MS);
  });
}

/** Appends and thinks better of it: nothing of this may ever be seen. */
async function appendAndFail(sessionId: string, label: string): Promise<void> {
  const failure = new Error('changed my mind');
  await db
    .write(async (tx) => {
      await insertMessages(tx, sessionId, [messageOf(`${label} never`)], Date.now());
      throw failure;
    })
    .catch((error: unknown) => {
      if (error !== failure) throw error;
    });
}

async function fire(writer: number, { sessionId, commitsPerWriter }: StartFiring): Promise<void> {
  for (let i = 0; i < commitsPerWriter; i++) {
    const label = `${name} ${writer} ${i}`;
    if (i % FAIL_EVERY === 0) await appendAndFail(sessionId, label);
    if ((i + writer) % HOLD_EVERY === 0) await appendSlowly(sessionId, label);
    else await repository.append(sessionId, messageOf(label));
    committed.push(label);
  }
}

async function fireAll(start: StartFiring): Promise<void> {
  await Promise.all(Array.from({ length: start.writers }, (_, writer) => fire(writer, start)));
  await db.close();
  process.send?.({ committed, retries } satisfies FireReport, () => process.disconnect());
}

process.once('message', (start: StartFiring) => {
  // A failure is left unhandled on purpose: it ends this process, which fails the test.
  void fireAll(start);
});
process.send?.('ready');
