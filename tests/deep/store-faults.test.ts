import { execFile } from 'node:child_process';
import { copyFileSync, globSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createClient } from '@libsql/client';
import { describe, expect, it, vi } from 'vitest';
import { createDeepWorld, type DeepWorld } from '#tests/deep/support/deep-world';
import { askAllTheTime, holdWriteLock, mountSmallDisk } from '#tests/deep/support/store-trouble';
import { ToldConversation } from '#tests/deep/support/told-conversation';
import { longHistory } from '#tests/support/long-history';
import type { ProductionServer } from '#tests/support/production-server';
import { leftovers, NOTHING_LEFT } from '#tests/support/stored-data';

/*
 * Each fault affects the store of a real server during an answer. Then the stored text equals the shown text, or the
 * user was informed of the difference.
 */

const WORD_PAUSE_MS = 150;
/** Words that are shown before the fault. */
const WORDS_BEFORE = 20;
/** Bytes of a small disk, in millions. */
const SMALL_MB = 24;
const MESSAGES = 20_000;
/** Of the aim of 200 ms a busy machine makes more; a lease lasts 15 s, and a deletion once took 31 s. Milliseconds. */
const MOST_WAIT_MS = 2_000;

const [faketime] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1');

/** Waits for it, also while other tests run. */
function eventually(check: () => unknown): Promise<unknown> {
  return vi.waitFor(check, { timeout: 240_000, interval: 100 });
}

/** A started server whose answers take half a minute, and a conversation in the middle of one. */
async function begin(options: Parameters<typeof createDeepWorld>[0] = {}, env?: Readonly<Record<string, string>>) {
  await using begun = new AsyncDisposableStack();
  const world = begun.use(await createDeepWorld({ wordPausesMs: [WORD_PAUSE_MS], ...options }));
  const server = await world.startServer(env);
  begun.defer(() => server.kill());
  const told = await ToldConversation.begin(server.url, 1);
  const answer = told.say(server.url);
  await eventually(() => expect(told.shownCount).toBeGreaterThan(WORDS_BEFORE));
  const end = begun.move();
  return { world, server, told, answer, [Symbol.asyncDispose]: () => end.disposeAsync() };
}

/** Prints the figures of one fault, and gives what the conversation shows and keeps. */
async function account(fault: string, { url }: ProductionServer, told: ToldConversation, more = '') {
  const texts = await told.texts(url);
  console.log(
    `${fault}: ${String(texts.shown.length)} characters shown, ${String(texts.stored.length)} stored, ` +
      `told in the stream ${JSON.stringify(told.toldInStream)}, refused ${JSON.stringify(told.refusals)}${more}`,
  );
  return texts;
}

/** All is as it was before the fault: the next message is answered and nothing is left over. */
async function expectUsable({ databaseFile }: DeepWorld, { url }: ProductionServer, told: ToldConversation) {
  const isIdle = () => eventually(async () => expect(await leftovers(databaseFile)).toEqual(NOTHING_LEFT));
  await isIdle();
  expect(await told.say(url)).toBe('answered');
  await isIdle();
}

function isReady(url: string): Promise<number> {
  return fetch(`${url}/api/ready`).then(({ status }) => status);
}

describe.concurrent('a store in trouble in mid-answer', () => {
  it.each([18, 40])('that another process locks for %i s', { concurrent: true }, async (seconds) => {
    await using begun = await begin();
    const { world, server, told, answer } = begun;
    const other = await ToldConversation.begin(server.url, 4);
    await using readers = askAllTheTime(server.url, '/api/sessions');
    await using lock = await holdWriteLock(world.databaseFile);
    const asked = other.say(server.url);
    await pause(seconds * 1_000);
    await lock.release();
    expect(await answer).toBe('answered');
    // A busy server gets to its write late: then 18 s are over before the 15 s that a write waits.
    const reply = await asked;
    if (seconds > 30) expect(reply).toBe('refused');
    const refusal = other.told.map(({ text }) => text).join();
    const { shown, stored } = await account(
      `lock of ${String(seconds)} s`,
      server,
      told,
      `; another message was ${reply} ${refusal}; longest wait of a reader ${String(readers.slowest())} ms`,
    );
    expect(server.logs()).toContain('it is tried again');
    expect(stored).toBe(shown);
    expect(told.told).toEqual([]);
    expect(other.refusals).toEqual(reply === 'refused' ? [503] : []);
    if (reply === 'refused') expect(refusal).toContain('store_busy');
    await other.sayAgain(server.url);
    await expectUsable(world, server, told);
    for (const one of [told, other]) expect(await one.faults(world.databaseFile, Infinity)).toEqual([]);
  });

  it('whose disk is full temporarily or permanently', { concurrent: true }, async ({ skip }) => {
    const small = mountSmallDisk(SMALL_MB);
    if (small === null) return skip('A small disk can only be mounted by root.');
    using _small = small;
    await using begun = await begin({ folder: small.folder });
    const { world, server, told, answer } = begun;
    small.fill();
    await eventually(() => expect(server.logs()).toContain('it is tried again'));
    expect(await isReady(server.url)).toBe(503);
    await pause(10_000);
    small.free();
    expect(await answer).toBe('answered');
    const passing = await account('full disk for a while', server, told);
    expect(passing.stored).toBe(passing.shown);
    expect(told.told).toEqual([]);

    const before = told.shownCount;
    const lost = told.say(server.url);
    await eventually(() => expect(told.shownCount).toBeGreaterThan(before + WORDS_BEFORE));
    small.fill();
    await lost;
    const lasting = await account('full disk for good', server, told);
    expect(lasting.shown.startsWith(lasting.stored)).toBe(true);
    expect(told.toldInStream.join()).toContain('could not be stored in full');
    expect(await told.say(server.url)).toBe('refused');

    small.free();
    await told.reload(world.databaseFile);
    await told.sayAgain(server.url);
    await expectUsable(world, server, told);
    expect(await told.faults(world.databaseFile, Infinity)).toEqual([]);
  });

  it.each(['deleted', 'replaced by another'])('whose file is %s', { concurrent: true }, async (fault) => {
    await using begun = await begin();
    const { world, server, told, answer } = begun;
    const { databaseFile } = world;
    renameSync(databaseFile, `${databaseFile}.away`);
    if (fault !== 'deleted') copyFileSync(`${databaseFile}.away`, databaseFile);
    await answer;
    expect(await isReady(server.url)).toBe(503);
    expect(await told.say(server.url)).toBe('refused');
    expect(told.refusals).toEqual([503]);
    expect(told.toldInStream.join()).toContain('was deleted or replaced');
    renameSync(`${databaseFile}.away`, databaseFile);
    expect(await isReady(server.url)).toBe(200);
    const { shown, stored } = await account(`file ${fault}`, server, told);
    expect(shown.startsWith(stored)).toBe(true);

    await told.reload(databaseFile);
    await told.sayAgain(server.url);
    await expectUsable(world, server, told);
    expect(await told.faults(databaseFile, Infinity)).toEqual([]);
  });

  it('under a clock that is set by three hours, forward and back', { concurrent: true }, async ({ skip }) => {
    if (faketime === undefined) return skip('The package faketime is not installed.');
    const clock = join(mkdtempSync(join(tmpdir(), 'throughline-clock-')), 'offset');
    const set = (offset: string) => writeFileSync(clock, offset);
    set('+0');
    const env = {
      LD_PRELOAD: faketime,
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
    await using begun = await begin({}, env);
    const { world, server, told, answer } = begun;
    const { databaseFile } = world;
    set('+3h');
    expect(await answer).toBe('answered');
    const shown = told.shownCount;
    const next = told.say(server.url);
    await eventually(() => expect(told.shownCount).toBeGreaterThan(shown + WORDS_BEFORE));
    set('+0');
    expect(await next).toBe('answered');
    set('-3h');
    expect(await told.say(server.url)).toBe('answered');
    const texts = await account('clock set by three hours', server, told);
    expect(texts.stored).toBe(texts.shown);
    expect(told.told).toEqual([]);
    // Two turns overlap on a clock that goes back, and only there.
    expect(await leftovers(databaseFile)).toMatchObject({
      ...NOTHING_LEFT,
      overlappingTurns: expect.any(Number) as number,
    });
    expect(await told.faults(databaseFile, Infinity)).toEqual([]);
  });

  it(
    'that a newer version has migrated: nothing is written, start and restore refuse it',
    { concurrent: true },
    async () => {
      await using begun = await begin();
      const { world, server, told, answer } = begun;
      const { databaseFile } = world;
      const client = createClient({ url: `file:${databaseFile}` });
      await client.execute(
        "insert into __drizzle_migrations (hash, created_at) values ('of the future', 99999999999999)",
      );
      client.close();
      expect(await isReady(server.url)).toBe(503);
      expect(await answer).toBe('answered');
      const { shown, stored } = await account('newer schema', server, told);
      expect(stored).toBe(shown);
      expect(await server.stop()).toBe(143);
      await expect(world.startServer()).rejects.toThrow('of a newer version');
      const env = { ...process.env, DATABASE_URL: `file:${join(databaseFile, '..', 'other.db')}` };
      await expect(
        promisify(execFile)(process.execPath, ['scripts/restore.ts', databaseFile], { env }),
      ).rejects.toMatchObject({ stderr: expect.stringContaining('of a newer version') as unknown });
      expect(await told.faults(databaseFile, Infinity)).toEqual([]);
    },
  );
});

describe('20,000 messages that are imported, go on, and are deleted', () => {
  it('delay no other request, and another answer is whole', async () => {
    await using begun = await begin();
    const { world, server, told, answer } = begun;
    const more = [answer, told.say(begun.server.url), told.say(begun.server.url)];
    const { url } = server;
    const long = await ToldConversation.begin(url, 2);
    const session = `${url}/api/sessions/${long.id}`;
    const waits: number[] = [];
    /** Does it while the list of sessions is asked for, and another session answers. */
    const watched = async (what: string, work: () => Promise<unknown>) => {
      await using readers = askAllTheTime(url, '/api/sessions');
      const since = performance.now();
      await work();
      waits.push(readers.slowest());
      const took = `${String(Math.round(performance.now() - since))} ms, longest wait ${String(waits.at(-1))} ms`;
      console.log(`${String(MESSAGES)} messages, ${what}: ${took} of ${String(readers.count)}`);
    };
    const answers = (method: string, path: string, status: number, body?: unknown) => async () => {
      const headers = { 'content-type': 'application/json' };
      const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
      const response = await fetch(`${session}${path}`, { method, ...sent });
      expect(response.status, await response.text()).toBe(status);
    };
    const messages = longHistory(MESSAGES).map((message) => ({ ...message, content: message.content.slice(0, 1_200) }));
    await watched('import', answers('POST', '/import', 201, { messages }));
    await watched('first turn', async () => expect(await long.say(url)).toBe('answered'));
    await watched('compaction', answers('POST', '/compact', 200, {}));
    await watched('another turn', async () => expect(await long.say(url)).toBe('answered'));
    await watched('another compaction', answers('POST', '/compact', 200, {}));
    const { stored } = await long.texts(url);
    expect(long.toldInStream).toEqual([]);
    expect(stored.length).toBeGreaterThan(MESSAGES);
    await watched('deletion', answers('DELETE', '', 204));
    await Promise.all(more);
    const texts = await account('import and deletion', server, told);
    expect(texts.stored).toBe(texts.shown);
    expect(told.told).toEqual([]);
    await expectUsable(world, server, told);
    expect(Math.max(...waits)).toBeLessThan(MOST_WAIT_MS);
  });
});
