import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '#server/platform/database/database';
import { messageParts, messages } from '#server/platform/database/schema/sessions';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { isDeep } from '#tests/support/deep';
import type { FireReport, StartFiring } from '#tests/support/fire-worker';

const PROCESSES = 2;
const WRITERS = 20;
/** More in `npm run test:deep`. */
const COMMITS_PER_WRITER = isDeep ? 150 : 8;

const folder = mkdtempSync(join(tmpdir(), 'throughline-fire-'));
const workers: ChildProcess[] = [];

afterAll(() => {
  for (const worker of workers) worker.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a process that has opened the database once this resolves. */
async function startWorker(name: string, url: string): Promise<ChildProcess> {
  const worker = fork('tests/support/fire-worker.ts', [name, url], { execArgv: [] });
  workers.push(worker);
  await nextMessage(worker);
  return worker;
}

async function nextMessage(worker: ChildProcess): Promise<unknown> {
  const died = once(worker, 'exit').then(([code]) => Promise.reject(new Error(`A process ended with ${code}.`)));
  const message = once(worker, 'message').then(([value]: unknown[]) => value);
  return Promise.race([message, died]);
}

async function storedLabels(db: Database): Promise<string[]> {
  const rows = await db.read.select({ content: messageParts.content }).from(messageParts);
  return rows.map(({ content }) => (JSON.parse(content) as { text: string }).text);
}

describe('the embedded database under fire', () => {
  it('loses none of the commits of two processes with twenty writers each', async () => {
    const url = `file:${join(folder, 'fire.db')}`;
    // Both find no file: creating and migrating it is part of the race.
    const started = await Promise.all(Array.from({ length: PROCESSES }, (_, i) => startWorker(`process-${i}`, url)));
    await using db = await openDatabase({ url });
    const { id: sessionId } = await createSessionRepository(db).create({ ownerId: 'own_1' });
    const start: StartFiring = { sessionId, writers: WRITERS, commitsPerWriter: COMMITS_PER_WRITER };

    const reports = await Promise.all(
      started.map((worker) => {
        const report = nextMessage(worker) as Promise<FireReport>;
        worker.send(start);
        return report;
      }),
    );

    const believed = reports.flatMap(({ committed }) => committed);
    expect(believed).toHaveLength(PROCESSES * WRITERS * COMMITS_PER_WRITER);
    // They stood in each other's way, or this has shown nothing; who of the two had to wait is chance.
    expect(reports.reduce((sum, { retries }) => sum + retries, 0)).toBeGreaterThan(0);
    expect((await storedLabels(db)).toSorted()).toEqual(believed.toSorted());

    const rows = await db.read.select({ seq: messages.seq }).from(messages).orderBy(messages.seq);
    expect(rows.map(({ seq }) => seq)).toEqual(believed.map((_, index) => index + 1));
    expect(await db.read.all(sql`pragma integrity_check`)).toEqual([{ integrity_check: 'ok' }]);
  });
});
