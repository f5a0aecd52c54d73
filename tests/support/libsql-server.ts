import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Break, HranaEndpoint, type LateRequest } from '#tests/support/hrana-endpoint';
import { type HranaStream, openHranaStream, type StreamRequest, textsOf } from '#tests/support/hrana-stream';
import { type LoopbackServer, startLoopback } from '#tests/support/loopback-server';
import { WriteSlot } from '#tests/support/write-slot';

export interface LibsqlServerOptions {
  /** Default: anybody may come in. */
  readonly authToken?: string;
  /**
   * How long a stream, and the lock of its transaction, lives on without a request; milliseconds. Default 10,000
   * (Hrana 3, "Hrana over HTTP": "the server will close streams after a short period of inactivity"; 10 s observed on
   * 0.24).
   */
  readonly streamMs?: number;
  /** Age at which a transaction loses the write lock to one that waits; milliseconds. Default 5,000, observed on 0.24. */
  readonly transactionMs?: number;
  /** Largest response to one request of a pipeline, in bytes. Default 10,000,000, observed on 0.24. */
  readonly responseBytes?: number;
  /**
   * Largest value of a statement, in bytes. Default 5,000,000 (`default_max_row_size` in src/connection/config.rs of
   * libsql-server 0.24).
   */
  readonly valueBytes?: number;
  /** Delay before each HTTP request is handled, as of a server that is far away; milliseconds. Default 0. */
  readonly delayMs?: number;
  /** Called with each statement. */
  readonly onStatement?: (text: string) => void;
  /** A database file to begin with; it is copied. Default: an empty database. */
  readonly copyOf?: string;
  /** A database file to work on, which stays afterwards. Default: a temporary one. */
  readonly file?: string;
  /** Default: a free port. */
  readonly port?: number;
}

/** A second server that copies the first. */
export interface LibsqlReplica {
  /** For DATABASE_URL. */
  readonly url: string;
  /** Takes over everything that has been committed on the primary. */
  catchUp(): void;
}

/** A database server in this process, on the loopback address. */
export interface LibsqlServer extends AsyncDisposable {
  /** For DATABASE_URL. */
  readonly url: string;
  /** Disturbs the next request that fits; resolves once that has happened. */
  breakOnce(fault: Break): Promise<void>;
  /**
   * Breaks the connection of the next request that fits; the server carries it out when the test releases it. Until then, other
   * requests of its stream are lost.
   */
  loseUntilLater(at: RegExp): LateRequest;
  /**
   * Begins a checkpoint once no transaction holds the write lock. Until it ends, every statement that needs the lock is
   * refused with SQLITE_BUSY, and so are those that wait for it.
   * @returns ends it
   */
  beginCheckpoint(): Promise<() => void>;
  /** Starts a replica of the present state; it changes only when `catchUp` is called. Closed with this server. */
  startReplica(): Promise<LibsqlReplica>;
  /** Lets all streams expire now. */
  expireStreams(): void;
  /** Forgets all streams and their transactions, as a restart would. */
  forgetStreams(): void;
  readonly openStreams: number;
  /** How many transactions wait for the write lock. */
  readonly waitingWriters: number;
  /** How many requests (pipelines) were sent to this server, or to its replicas. */
  readonly requests: number;
  close(): Promise<void>;
}

/**
 * A stand-in of libsql-server 0.24: speaks libSQL's Hrana protocol over HTTP (JSON, versions 2 and 3, without cursors)
 * over an embedded database. Its rules, with their sources (Hrana 3 is docs/HRANA_3_SPEC.md of tursodatabase/libsql):
 *
 * - A stream is continued by a baton, which changes with every response: Hrana 3, "Execute a pipeline of requests".
 * - A stream without requests ends after 10 s, and its transaction with it: Hrana 3, "Hrana over HTTP", Overview; the
 *   length was observed on 0.24.
 * - An expired stream is answered with 400 and STREAM_EXPIRED, and a baton of the process before a restart with 400 and
 *   a text: Hrana 3, "Hrana over HTTP", Errors; the bodies were observed on 0.24.
 * - Writers wait for each other in the order in which they came, also the statements of a batch and statements without
 *   a transaction; SQLITE_BUSY comes only during a checkpoint, and where a transaction writes that has read an older
 *   state: observed on 0.24.
 * - A transaction older than 5 s loses the write lock if another one waits for it, and all statements of its next
 *   request fail with TRANSACTION_TIMEOUT: observed on 0.24.
 * - The results of one request hold at most 10 MB, else it fails with RESPONSE_TOO_LARGE; statements before stay carried
 *   out, and the transaction stays open: observed on 0.24.
 * - A value of a statement has at most 5 MB, else it fails with SQLITE_TOOBIG: `set_limit` in
 *   src/connection/connection_core.rs of 0.24.
 * - Responses are compressed with gzip for clients that accept it: observed on 0.24.
 * - A request whose client has gone is carried out nevertheless, perhaps much later (it waits for the write lock, or
 *   something between has kept it), and its stream ends then: observed on 0.24.
 * - At a replica, a request without a statement that writes reads the replica's own, perhaps older state, even between
 *   BEGIN IMMEDIATE and COMMIT; everything else, also a transaction that stays open, runs on the primary: observed on
 *   0.24.
 */
export async function startLibsqlServer(options: LibsqlServerOptions = {}): Promise<LibsqlServer> {
  const { authToken, streamMs = 10_000, transactionMs = 5_000, responseBytes = 10_000_000, delayMs = 0 } = options;
  const { valueBytes = 5_000_000, copyOf, onStatement, port } = options;
  const folder = mkdtempSync(join(tmpdir(), 'throughline-libsql-'));
  const file = options.file ?? join(folder, 'shared.db');
  if (copyOf !== undefined) copyFileSync(copyOf, file);
  const first = new DatabaseSync(file);
  first.exec('pragma journal_mode = wal');

  const slot = new WriteSlot(transactionMs);
  const openPrimary = () => openHranaStream({ file, slot, responseBytes, valueBytes });
  const endpointFor = (openStream: () => HranaStream) =>
    new HranaEndpoint({ openStream, authToken, streamMs, delayMs, onStatement });
  const endpoints = [endpointFor(openPrimary)];
  const [primary] = endpoints as [HranaEndpoint];
  const server = await startLoopback(primary.handle, port);
  const servers: LoopbackServer[] = [server];

  async function startReplica(): Promise<LibsqlReplica> {
    const copy = join(folder, `replica-${servers.length}.db`);
    const catchUp = () => {
      rmSync(copy, { force: true });
      first.prepare('vacuum into ?').run(copy);
    };
    catchUp();
    // The copy has no other writer, so its lock is always free.
    const openLocal = () =>
      openHranaStream({ file: copy, slot: new WriteSlot(transactionMs), responseBytes, valueBytes });
    const endpoint = endpointFor(() => openReplicaStream(openLocal(), openPrimary()));
    endpoints.push(endpoint);
    const replica = await startLoopback(endpoint.handle);
    servers.push(replica);
    return { url: replica.url, catchUp };
  }

  const forgetStreams = () => {
    for (const endpoint of endpoints) endpoint.forgetStreams();
    slot.refuseWaiting();
  };
  const close = async () => {
    for (const one of servers) await one.close();
    forgetStreams();
    if (first.isOpen) first.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    url: server.url,
    breakOnce: (fault) => primary.breakOnce(fault),
    loseUntilLater: (at) => primary.loseUntilLater(at),
    beginCheckpoint: () => slot.beginCheckpoint(),
    startReplica,
    expireStreams: () => {
      for (const endpoint of endpoints) endpoint.expireStreams();
    },
    forgetStreams,
    get openStreams() {
      return endpoints.reduce((sum, endpoint) => sum + endpoint.openStreams, 0);
    },
    get waitingWriters() {
      return slot.waiting;
    },
    get requests() {
      return endpoints.reduce((sum, endpoint) => sum + endpoint.requests, 0);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The statements that a replica runs itself (libsql-server 0.24, `is_read_only` in src/query_analysis.rs). */
const READ_ONLY = /^\s*(select|explain|begin|commit|end|rollback|with\b(?![^]*\b(insert|update|delete|replace)\s))/i;

/** A stream of a replica (libsql-server 0.24, `execute_program` in src/connection/write_proxy.rs). */
function openReplicaStream(local: HranaStream, primary: HranaStream): HranaStream {
  let hasWritten = false;

  async function answer(request: StreamRequest): Promise<object> {
    const texts = textsOf(request, local.storedText);
    if (texts.length === 0) {
      await local.answer(request);
      return primary.answer(request);
    }
    const isReadOnly = texts.every((text) => READ_ONLY.test(text));
    if (isReadOnly && !hasWritten && !primary.isInTransaction) {
      const answered = await local.answer(request);
      if (!local.isInTransaction) return answered;
      // It leaves a transaction open, in which more may follow: that must be one of the primary.
      await local.answer({ type: 'sequence', sql: 'rollback' });
    }
    hasWritten ||= !isReadOnly;
    return primary.answer(request);
  }

  return {
    answer,
    storedText: local.storedText,
    get isOpen() {
      return primary.isOpen;
    },
    get isInTransaction() {
      return primary.isInTransaction;
    },
    rollBackByForce: () => primary.rollBackByForce(),
    close: () => {
      local.close();
      primary.close();
    },
  };
}
