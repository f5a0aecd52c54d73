import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectToRedis, type RedisClient } from '#server/platform/signals/redis-client';
import { RedisTurnLogs } from '#server/platform/signals/redis-turn-logs';
import type { TurnLogEntry, TurnLogWriter } from '#server/core/conversation/turn-logs';
import { type RedisServer, startRedis } from '#tests/peers/support/redis-server';

const redisProgram = process.env['REDIS_SERVER'];
const KEY = 'throughline:turn:trn_1';

/** The writer of a log in one process, with the entries that it would write again. */
class Process {
  readonly client: RedisClient;
  readonly #writer: TurnLogWriter;
  readonly texts: string[] = [];

  constructor(client: RedisClient) {
    this.client = client;
    this.#writer = new RedisTurnLogs(client).write('trn_1');
  }

  add(...texts: string[]): void {
    for (const text of texts) {
      this.texts.push(text);
      this.#writer.add(text, () => this.texts);
    }
  }

  end(): void {
    this.#writer.end();
  }
}

describe.skipIf(redisProgram === undefined)('the log of a turn in Redis', () => {
  let redis: RedisServer;
  const clients: RedisClient[] = [];
  const readers = new AbortController();

  beforeEach(async () => void (redis = await startRedis(redisProgram!)));
  afterEach(async () => {
    readers.abort();
    for (const client of clients.splice(0)) client.destroy();
    await redis[Symbol.asyncDispose]();
  });

  async function connect(): Promise<RedisClient> {
    const client = await connectToRedis(redis.url);
    clients.push(client);
    await expect.poll(() => client.isReady).toBe(true);
    return client;
  }

  /** Reads a log in the background. */
  function read(client: RedisClient) {
    const entries: TurnLogEntry[] = [];
    const ending = new AbortController();
    const done = (async () => {
      for await (const entry of new RedisTurnLogs(client).follow('trn_1', ending.signal))
        if (entry) entries.push(entry);
    })();
    return { entries, texts: () => entries.map(({ text }) => text), done, stop: () => ending.abort() };
  }

  it('is read from its start, in order, and then as it grows', async () => {
    const writer = new Process(await connect());
    writer.add('a', 'b');
    await expect.poll(() => writer.client.xLen(KEY)).toBe(2);
    const reader = read(await connect());
    await expect.poll(reader.texts).toEqual(['a', 'b']);
    writer.add('c');
    await expect.poll(reader.texts).toEqual(['a', 'b', 'c']);
    expect(reader.entries.map(({ isFirst, isPast }) => [isFirst, isPast])).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ]);
    reader.stop();
    await reader.done;
  });

  it('is written again from its start when Redis restarts without it', async () => {
    const [one, two] = [await connect(), await connect()];
    const writer = new Process(one);
    writer.add('a');
    const before = read(two);
    await expect.poll(before.texts).toEqual(['a']);
    const { port } = redis;
    await redis[Symbol.asyncDispose]();
    await before.done;
    await expect.poll(() => one.isReady).toBe(false);
    writer.add('b');
    redis = await startRedis(redisProgram!, port);
    await expect.poll(() => one.isReady && two.isReady).toBe(true);
    const after = read(two);
    await expect.poll(after.texts).toEqual(['a', 'b']);
    writer.add('c');
    await expect.poll(after.texts).toEqual(['a', 'b', 'c']);
    expect(after.entries[0]).toMatchObject({ isFirst: true });
    after.stop();
    await after.done;
  });

  it('is written again when Redis has refused an entry', async () => {
    const [one, two] = [await connect(), await connect()];
    const writer = new Process(one);
    writer.add('a');
    const reader = read(two);
    await expect.poll(reader.texts).toEqual(['a']);
    await two.configSet('maxmemory', '1');
    writer.add('lost');
    await expect.poll(() => two.info('errorstats')).toContain('errorstat_OOM');
    await two.configSet('maxmemory', '0');
    await expect
      .poll(() => {
        writer.add('more');
        return reader.entries.filter(({ isFirst }) => isFirst).length;
      })
      .toBe(2);
    const restart = reader.entries.findLastIndex(({ isFirst }) => isFirst);
    expect(reader.texts().slice(0, restart)).toEqual(['a']);
    expect(reader.texts().slice(restart, restart + 3)).toEqual(['a', 'lost', 'more']);
    reader.stop();
    await reader.done;
  });

  it('gives the entries of the newest run only, and none of a log without its start', async () => {
    const [first, second] = [new Process(await connect()), new Process(await connect())];
    first.add('old');
    await expect.poll(() => first.client.xLen(KEY)).toBe(1);
    second.add('new 1');
    await expect.poll(() => first.client.xRange(KEY, '-', '+')).toMatchObject([{ message: { text: 'new 1' } }]);
    first.add('end of the old run');
    await expect.poll(() => first.client.xLen(KEY)).toBe(2);
    second.add('new 2');
    const reader = read(first.client);
    await expect.poll(reader.texts).toEqual(['new 1', 'new 2']);
    await first.client.xTrim(KEY, 'MAXLEN', 1);
    const late = read(first.client);
    second.add('new 3');
    await expect.poll(reader.texts).toEqual(['new 1', 'new 2', 'new 3']);
    expect(late.texts()).toEqual([]);
    for (const each of [reader, late]) each.stop();
    await Promise.all([reader.done, late.done]);
  });

  it('is written again with its texts joined when it has become long', async () => {
    const client = await connect();
    const writer = new RedisTurnLogs(client).write('trn_1');
    const reader = read(await connect());
    for (let index = 0; index <= 5_000; index += 1) {
      writer.add(String(index), () => ['joined']);
      // The client refuses more than 10,000 pending commands.
      if (index % 1_000 === 0) await client.ping();
    }
    await expect.poll(() => client.xLen(KEY)).toBe(1);
    await expect.poll(() => reader.entries.at(-1)).toEqual({ text: 'joined', isFirst: true, isPast: false });
    reader.stop();
    await reader.done;
  });

  it('expires an hour after its last entry, and a minute after its end', async () => {
    const writer = new Process(await connect());
    writer.add('a', 'b');
    await expect.poll(() => writer.client.ttl(KEY)).toBeGreaterThan(3_500);
    writer.end();
    await expect.poll(() => writer.client.ttl(KEY)).toBeLessThanOrEqual(60);
    expect(await writer.client.ttl(KEY)).toBeGreaterThan(0);
  });

  it('ends without an error while Redis cannot be reached', async () => {
    const client = await connect();
    await redis[Symbol.asyncDispose]();
    await expect.poll(() => client.isReady).toBe(false);
    const reader = read(client);
    await reader.done;
    expect(reader.entries).toEqual([]);
    new Process(client).add('a');
  });
});
