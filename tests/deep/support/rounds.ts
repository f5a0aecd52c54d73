import type { DeepWorld } from '#tests/deep/support/deep-world';
import { askAllTheTime, type Watch } from '#tests/deep/support/store-trouble';
import { ToldConversation } from '#tests/deep/support/told-conversation';
import type { ProductionServer } from '#tests/support/production-server';
import { queryDatabase } from '#tests/support/stored-data';

/* A server that is killed and started again, round after round, and what must be stored after each. */

/** Streamed text is written at least this often while the store is quick; milliseconds. */
const WRITTEN_EVERY_MS = 100;
/** A store is left alone for so many times as long as its last write took, but not for longer than this; milliseconds. */
const REST_PER_WRITE = 10;
const LONGEST_REST_MS = 2_000;
/** Writes count that ended within this time before a kill: the rests they caused reach to it. Milliseconds. */
const RECENT_MS = LONGEST_REST_MS + 500;

/**
 * Age from which on shown text is stored, as docs/operating.md promises it: a pause, then the write that carries the
 * text, and perhaps one before that was pending; milliseconds.
 * @param writeMs duration of the slowest write
 */
function keptAfterMs(writeMs: number): number {
  const rest = Math.max(WRITTEN_EVERY_MS, Math.min(REST_PER_WRITE * writeMs, LONGEST_REST_MS));
  return rest + 2 * writeMs;
}

/** What a kill of a server finds. */
export interface Kill {
  /** Epoch milliseconds. */
  readonly at: number;
  /** The slowest write shortly before, and the age of text that must be stored by that; milliseconds. */
  readonly writeMs: number;
  readonly keptAfterMs: number;
}

/** The one server of a world, which is killed and follows itself. */
export class MortalServer implements AsyncDisposable {
  readonly #world: DeepWorld;
  #server: ProductionServer;
  #writes: Watch;

  private constructor(world: DeepWorld, server: ProductionServer) {
    this.#world = world;
    this.#server = server;
    this.#writes = askAllTheTime(server.url, '/api/ready');
  }

  static async start(world: DeepWorld): Promise<MortalServer> {
    return new MortalServer(world, await world.startServer());
  }

  get url(): string {
    return this.#server.url;
  }

  async kill(): Promise<Kill> {
    const at = Date.now();
    await this.#server.kill();
    const writeMs = this.#writes.slowest(at - RECENT_MS, at);
    await this.#writes[Symbol.asyncDispose]();
    return { at, writeMs, keptAfterMs: keptAfterMs(writeMs) };
  }

  /** Starts it again, and gives what keeps a conversation from being used because the killed one had it. */
  async startAgain({ at }: Kill): Promise<string[]> {
    this.#server = await this.#world.startServer();
    this.#writes = askAllTheTime(this.url, '/api/ready');
    return deadWork(this.#world.databaseFile, at);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.kill();
    await this.#writes[Symbol.asyncDispose]();
  }
}

/** Several concurrent conversations. */
export function beginConversations(
  url: string,
  count: number,
  options?: Parameters<typeof ToldConversation.begin>[2],
): Promise<ToldConversation[]> {
  return Promise.all(Array.from({ length: count }, (_, number) => ToldConversation.begin(url, number, options)));
}

/** Pieces of text that were shown in all of them. */
export function shownIn(told: readonly ToldConversation[]): number {
  return told.reduce((sum, { shownCount }) => sum + shownCount, 0);
}

async function deadWork(databaseFile: string, killedAt: number): Promise<string[]> {
  const turns = await queryDatabase(databaseFile, `select id from turns where status = 'running' and started_at < ?`, [
    killedAt,
  ]);
  const compactions = await queryDatabase(
    databaseFile,
    'select id from sessions where currently_compacting and compacting_since < ?',
    [killedAt],
  );
  return [
    ...turns.map((row) => `a turn of the killed server still runs: ${JSON.stringify(row)}`),
    ...compactions.map((row) => `a session is still compacted by the killed server: ${JSON.stringify(row)}`),
  ];
}
