import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { WorkerOptions, WorkerOrder, WorkerReport } from '#tests/support/compaction-worker';

/** A process that compacts a session; see compaction-worker. Disposing ends it, however far it is. */
export interface CompactionProcess extends AsyncDisposable {
  tell(order: WorkerOrder): void;
  /**
   * Its first report of this kind, also one from before the call.
   * @throws when the process ends without it
   */
  until<At extends WorkerReport['at']>(at: At): Promise<Extract<WorkerReport, { at: At }>>;
  /** Which of these it reports first. */
  untilOneOf(...places: readonly WorkerReport['at'][]): Promise<WorkerReport>;
  /** Ends it as a crash would (SIGKILL), and waits. */
  kill(): Promise<void>;
}

/** Starts a process that has opened the database once this resolves. */
export async function startCompactionProcess(options: WorkerOptions): Promise<CompactionProcess> {
  const child = fork('tests/support/compaction-worker.ts', [JSON.stringify(options)], { execArgv: [] });
  const reports: WorkerReport[] = [];
  let changed = Promise.withResolvers<void>();
  let hasEnded = false;
  const wake = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  child.on('message', (report: WorkerReport) => {
    reports.push(report);
    wake();
  });
  const ended = untilEnded();
  async function untilEnded(): Promise<void> {
    // What it said last may still be in the channel when it has ended.
    await Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
    hasEnded = true;
    wake();
  }

  async function untilOneOf(...places: readonly WorkerReport['at'][]): Promise<WorkerReport> {
    for (;;) {
      const found = reports.find(({ at }) => places.includes(at));
      if (found) return found;
      if (hasEnded) throw new Error(`The process ended after ${JSON.stringify(reports)}.`);
      await changed.promise;
    }
  }
  async function kill(): Promise<void> {
    child.kill('SIGKILL');
    await ended;
  }

  await untilOneOf('ready');
  return {
    tell: (order) => void child.send(order),
    until: (at) => untilOneOf(at) as Promise<Extract<WorkerReport, { at: typeof at }>>,
    untilOneOf,
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
