import type { InStatement, ResultSet } from '@libsql/client';
import type { Stream } from '@libsql/hrana-client';
import {
  errorFromHrana,
  hranaStatement,
  type HranaStreams,
  resultFromHrana,
} from '#server/platform/database/hrana-streams';

/** Maximum number of concurrent requests. A choice: enough that a slow statement does not delay the others. */
const MAX_STREAMS = 8;
/** Maximum number of statements in a request. A choice: bounds the work that one answer waits for. */
const MAX_STATEMENTS = 50;

interface WaitingRead {
  readonly statement: InStatement;
  readonly resolve: (result: ResultSet) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Statements outside of transactions. Those that are issued in the same round of the event loop, or while all streams are
 * busy, share one request; each sees the last commit and fails alone.
 */
export class RemoteReads {
  readonly #streams: HranaStreams;
  #waiting: WaitingRead[] = [];
  #busy = 0;
  #isScheduled = false;

  constructor(streams: HranaStreams) {
    this.#streams = streams;
  }

  execute(statement: InStatement): Promise<ResultSet> {
    const { promise, resolve, reject } = Promise.withResolvers<ResultSet>();
    this.#waiting.push({ statement, resolve, reject });
    this.#schedule();
    return promise;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0 || this.#busy >= MAX_STREAMS) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#send(this.#waiting.splice(0, MAX_STATEMENTS));
      this.#schedule();
    });
  }

  async #send(reads: readonly WaitingRead[]): Promise<void> {
    let stream: Stream;
    try {
      stream = this.#streams.take();
    } catch (error) {
      for (const { reject } of reads) reject(error);
      return;
    }
    this.#busy += 1;
    // The stream sends all statements that are queued in the same microtask in one request. A statement with an unsuitable
    // value is refused before.
    const query = async (statement: InStatement) => stream.query(hranaStatement(statement));
    const done = reads.map(({ statement, resolve, reject }) =>
      query(statement).then(
        (rows) => resolve(resultFromHrana(rows)),
        (error: unknown) => reject(errorFromHrana(error)),
      ),
    );
    await Promise.all(done);
    this.#busy -= 1;
    this.#streams.release(stream);
    this.#schedule();
  }
}
