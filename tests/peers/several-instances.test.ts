import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isDeep } from '#tests/support/deep';
import { freePort } from '#tests/support/free-port';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';
import { startRedis } from '#tests/peers/support/redis-server';
import { createSession, requestText, SETTLE_TIMEOUT_MS, untilIdle } from '#tests/peers/support/conversation-load';
import { type EditorTally, editRestlessly } from '#tests/peers/support/restless-editor';
import { randomNumbers } from '#tests/support/random-numbers';
import { leftovers, marksInOrder, NOTHING_LEFT } from '#tests/support/stored-data';

const redisProgram = process.env['REDIS_SERVER'];
const SESSIONS = isDeep ? 40 : 24;
const MESSAGES_EACH = isDeep ? 10 : 6;
/** Time between two kills; a server takes about as long to come back. */
const KILL_EVERY_MS = 3_000;
/** A killed server's turns are settled sooner than by default: it is killed often. Milliseconds. */
const TURN_LEASE_MS = 4_000;

/** Two servers on one database that are killed and started again in turns. */
class Instances implements AsyncDisposable {
  readonly #start: (port: number) => Promise<ProductionServer>;
  readonly #ports: readonly number[];
  #servers: ProductionServer[] = [];
  #stopped = false;
  kills = 0;

  constructor(ports: readonly number[], start: (port: number) => Promise<ProductionServer>) {
    this.#ports = ports;
    this.#start = start;
  }

  async start(): Promise<void> {
    this.#servers = await Promise.all(this.#ports.map((port) => this.#start(port)));
  }

  any(random: () => number): string {
    return `http://127.0.0.1:${this.#ports[Math.floor(random() * this.#ports.length)]}`;
  }

  /** Kills one after the other until `done`, each once at least; both run in the end. */
  async killUntil(done: Promise<unknown>): Promise<void> {
    const over = done.then(
      () => (this.#stopped = true),
      () => (this.#stopped = true),
    );
    const isOver = () => this.#stopped && this.kills >= this.#ports.length;
    for (let index = 0; !isOver(); index = (index + 1) % this.#ports.length) {
      await Promise.race([pause(KILL_EVERY_MS), over]);
      if (isOver()) return;
      await this.#servers[index]?.kill();
      this.kills += 1;
      this.#servers[index] = await this.#start(this.#ports[index]!);
    }
  }

  logs(): string {
    return this.#servers.map((server) => server.logs()).join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
  }
}

describe.skipIf(redisProgram === undefined)('two instances on one database and one Redis', () => {
  it('lose, repeat and reorder nothing while either is killed every few seconds', async () => {
    const seed = Date.now() % 1_000_000;
    const random = randomNumbers(seed);
    const folder = mkdtempSync(join(tmpdir(), 'throughline-chaos-'));
    const databaseFile = join(folder, 'site.db');
    await using redis = await startRedis(redisProgram!);
    const env = {
      REDIS_URL: redis.url,
      OFFLINE_CHUNK_DELAY_MS: '20',
      CONTEXT_WINDOW: '8000',
      LOG_LEVEL: 'warn',
      TURN_LEASE_MS: String(TURN_LEASE_MS),
      TURN_HEARTBEAT_MS: '1000',
      // All sessions belong to one owner here: they may all run concurrently.
      RUNNING_TURNS: String(SESSIONS),
      TURNS_PER_MINUTE: '10000',
      REQUESTS_PER_MINUTE: '100000',
    };
    const ports = [await freePort(), await freePort()];
    await using instances = new Instances(ports, (port) => startProductionServer({ databaseFile, port, env }));
    await instances.start();
    const anyServer = () => instances.any(random);
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => createSession(anyServer())));
    const textsOf = (session: number) =>
      Array.from({ length: MESSAGES_EACH }, (_, index) => requestText(`m${session}x${index}x`, index));

    const editing = Promise.all(
      sessions.map((sessionId, session) => editRestlessly({ sessionId, texts: textsOf(session), anyServer, random })),
    );
    await instances.killUntil(editing);
    const tallies = await editing;
    await Promise.all(sessions.map((sessionId) => untilIdle(sessionId, anyServer)));

    const total = (name: keyof EditorTally) => tallies.reduce((sum, tally) => sum + tally[name], 0);
    console.log(
      `chaos (seed ${seed}): ${total('accepted')} messages, ${total('queued')} queued, ${total('cancels')} cancels, ` +
        `${total('reconnects')} reconnects, ${total('retries')} requests repeated, ${instances.kills} kills`,
    );
    expect(total('accepted')).toBe(SESSIONS * MESSAGES_EACH);
    expect(instances.kills).toBeGreaterThanOrEqual(2);
    for (const [session, sessionId] of sessions.entries()) {
      const marks = Array.from({ length: MESSAGES_EACH }, (_, index) => `m${session}x${index}x`);
      expect({ sessionId, marks: await marksInOrder(databaseFile, sessionId) }).toEqual({ sessionId, marks });
      const response = await fetch(`${anyServer()}/api/sessions/${sessionId}/context/messages`);
      expect(response.status).toBe(200);
    }
    await expect
      .poll(() => leftovers(databaseFile), { timeout: SETTLE_TIMEOUT_MS, interval: 500 })
      .toEqual(NOTHING_LEFT);
    rmSync(folder, { recursive: true, force: true });
  });
});
