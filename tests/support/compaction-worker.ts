import { once } from 'node:events';
import { defaultSettings } from '#server/context/settings/context-settings';
import { StoredSession } from '#server/conversation/store/stored-session';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { createPreferenceRepository } from '#server/conversation/store/sessions/preference-repository';
import { createCompactionRepository } from '#server/conversation/store/compaction-repository';
import { type Database, openDatabase } from '#server/platform/database/database';
import { createMessageRepository } from '#server/conversation/store/message-repository';
import { TOLD, engineWith, requestFor, summarizerOf } from '#tests/support/small-engine';

/*
 * A process of compaction-processes.test.ts that compacts a session on request. It reports its position
 * (`WorkerPlace`), and may stop there, so that it can be killed at that moment.
 */

/**
 * `asked`: the summarizer has its request. `answered`: the summary has arrived, nothing of it is stored. `written`:
 * all of it is written, the transaction not committed.
 */
export type WorkerPlace = 'asked' | 'answered' | 'written';

export interface WorkerOptions {
  readonly url: string;
  readonly sessionId: string;
  /** Where it stops until it is continued. Default: nowhere. */
  readonly stopsAt?: WorkerPlace;
}

/** What it tells: that it is ready, where it is, and at the end what came of it. */
export type WorkerReport =
  | { readonly at: 'ready' | WorkerPlace }
  | { readonly at: 'done'; readonly round: number | null; readonly messages: unknown }
  | { readonly at: 'refused'; readonly code: string };

/** Its orders: to compact manually, to prepare a step, and to continue from where it stopped. */
export type WorkerOrder = 'compact' | 'prepare' | 'go on';

const { url, sessionId, stopsAt }: WorkerOptions = JSON.parse(process.argv[2] ?? '');

function tell(report: WorkerReport): Promise<void> {
  return new Promise((resolve) => process.send?.(report, () => resolve()));
}

/** Tells where it is. */
async function pass(place: WorkerPlace): Promise<void> {
  await tell({ at: place });
  if (place === stopsAt) await once(process, 'message');
}

/** The commit of a compaction waits once everything is written. */
function passWritten(database: Database): Database {
  return {
    ...database,
    write: (work) =>
      database.write(async (tx) => {
        const result = await work(tx);
        await pass('written');
        return result;
      }),
  };
}

const database = await openDatabase({ url });
const compactions = createCompactionRepository(database);
const passing = createCompactionRepository(passWritten(database));
const stores = {
  settings: { current: () => defaultSettings },
  sessions: createSessionRepository(database),
  messages: createMessageRepository(database),
  preferences: createPreferenceRepository(database),
  compactions: {
    ...compactions,
    async recordCompaction(...args: Parameters<typeof compactions.recordCompaction>) {
      await pass('answered');
      return passing.recordCompaction(...args);
    },
  },
};
const engine = engineWith();
const summarizer = summarizerOf(async () => {
  await pass('asked');
  return TOLD;
});
const request = requestFor(new StoredSession(stores, sessionId), summarizer);

async function carryOut(order: WorkerOrder): Promise<WorkerReport> {
  try {
    const compaction = order === 'compact' ? await engine.compact(request) : (await engine.prepare(request)).compaction;
    const { messages } = await engine.inspect(request);
    return { at: 'done', round: compaction?.round ?? null, messages };
  } catch (error) {
    return { at: 'refused', code: String((error as { code?: unknown }).code) };
  }
}

process.once('message', (order: WorkerOrder) => {
  void carryOut(order)
    .then(tell)
    .then(() => database.close())
    .then(() => process.disconnect());
});
await tell({ at: 'ready' });
