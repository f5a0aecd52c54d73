import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UIMessageChunk } from 'ai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApiClient } from '#components/api/api-client.ts';
import { readChatChunks } from '#components/api/chat-chunks.ts';
import type { ThroughlineUIMessage } from '#server/conversation/step/ui-messages';
import { createGate } from '#tests/e2e/support/scripted-model';
import { type RedisServer, startRedis } from '#tests/peers/support/redis-server';
import { comparable, foldChunks } from '#tests/support/arbitrary-turn';
import { type FakeOpenRouter, type FakeOpenRouterOptions, startFakeOpenRouter } from '#tests/support/fake-openrouter';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';

const redisProgram = process.env['REDIS_SERVER'];

/** A client that reads the answer on one server, to its end. */
class Follower {
  readonly chunks: UIMessageChunk[] = [];
  readonly done: Promise<void>;

  constructor(response: Promise<Response>) {
    this.done = this.#read(response);
    // The test awaits it later.
    this.done.catch(() => undefined);
  }

  async #read(response: Promise<Response>): Promise<void> {
    for await (const chunk of readChatChunks(await response)) this.chunks.push(chunk);
  }

  get text(): string {
    return this.chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('');
  }

  count(type: UIMessageChunk['type']): number {
    return this.chunks.filter((chunk) => chunk.type === type).length;
  }

  async message(): Promise<unknown> {
    await this.done;
    return comparable(await foldChunks(this.chunks));
  }
}

describe.skipIf(redisProgram === undefined)('a turn that another instance runs', () => {
  const ends: (() => Promise<unknown>)[] = [];
  let redis: RedisServer;
  let provider: FakeOpenRouter;
  let one: ProductionServer;
  let two: ProductionServer;

  beforeEach(async () => {
    redis = await startRedis(redisProgram!);
    const folder = mkdtempSync(join(tmpdir(), 'throughline-two-'));
    ends.push(async () => rmSync(folder, { recursive: true, force: true }));
    provider = await startFakeOpenRouter({ respond: () => ({ text: 'Unexpected.' }) });
    ends.push(() => provider.close());
    const start = () =>
      startProductionServer({
        databaseFile: join(folder, 'site.db'),
        env: {
          REDIS_URL: redis.url,
          OPENROUTER_API_KEY: 'test-key',
          OPENROUTER_BASE_URL: provider.baseUrl,
          DEFAULT_MODEL: 'anthropic/claude-sonnet-4.5',
          LOG_LEVEL: 'warn',
        },
      });
    one = await start();
    two = await start();
    ends.push(() => Promise.all([one.stop(), two.stop()]));
  });
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
    await redis[Symbol.asyncDispose]();
  });

  /** Sends a message on the first server. */
  async function begin(respond: FakeOpenRouterOptions['respond']) {
    provider.begin(respond);
    const [first, second] = [one, two].map(({ url }) => createApiClient({ baseUrl: url }));
    const { id } = await first!.createSession({ title: 'Two' });
    const message = { id: '1', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Go' }] };
    const sender = new Follower(first!.chat({ id, message, clientRequestId: '1' }));
    const stored = async () => {
      const { items } = await second!.readMessages(id, { cursor: null, limit: 100 });
      return comparable(items.findLast(({ role }) => role === 'assistant') as ThroughlineUIMessage | undefined);
    };
    return { sender, stored, follow: () => new Follower(second!.followChat(id)) };
  }

  it('is followed from its middle and through a restart of Redis, with nothing lost or repeated', async () => {
    const gates = [createGate(), createGate(), createGate()];
    const toolCalls = (index: number) => [{ id: `call_${index}`, name: 'list_content', input: { type: 'page' } }];
    const words = ['Alpha ', 'beta. ', 'Gamma ', 'delta. ', 'Epsilon ', 'zeta.'];
    const { sender, stored, follow } = await begin((_, index) => ({
      chunks: words.slice(2 * index, 2 * index + 2),
      restAfter: gates[index]!.opened,
      ...(index < 2 && { toolCalls: toolCalls(index) }),
    }));
    await expect.poll(() => sender.text).toBe('Alpha ');
    // A part that is still being written can only come from the log.
    const early = follow();
    await expect.poll(() => early.text).toBe('Alpha ');

    const { port } = redis;
    await redis[Symbol.asyncDispose]();
    gates[0]!.open();
    await expect.poll(() => sender.text).toBe('Alpha beta. Gamma ');
    await expect.poll(() => [early.text, early.count('tool-output-available')]).toEqual(['Alpha beta. ', 1]);
    const during = follow();
    await expect.poll(() => during.text).toBe('Alpha beta. ');

    redis = await startRedis(redisProgram!, port);
    gates[1]!.open();
    await expect
      .poll(() => [early.text, during.text])
      .toEqual([words.slice(0, 5).join(''), words.slice(0, 5).join('')]);
    const late = follow();
    await expect.poll(() => late.text).toBe(words.slice(0, 5).join(''));
    gates[2]!.open();

    for (const each of [sender, early, during, late]) {
      expect(await each.message()).toEqual(await stored());
      expect([each.text, each.count('start'), each.count('finish')]).toEqual([words.join(''), 1, 1]);
      expect([each.count('tool-input-available'), each.count('tool-output-available')]).toEqual([2, 2]);
    }
  });

  it('ends with what is stored when its instance dies', async () => {
    const { sender, stored, follow } = await begin((_, index) =>
      index === 0
        ? { text: 'I look. ', toolCalls: [{ id: 'call_1', name: 'list_content', input: { type: 'page' } }] }
        : { silentAfter: ['There ', 'are '] },
    );
    await expect.poll(() => sender.text).toBe('I look. There are ');
    const follower = follow();
    await expect.poll(() => follower.text).toBe('I look. There are ');
    await expect.poll(async () => JSON.stringify(await stored())).toContain('There are ');
    await one.kill();
    expect(await follower.message()).toEqual(await stored());
    expect([follower.text, follower.count('finish')]).toEqual(['I look. There are ', 1]);
    expect(follower.chunks.at(-1)).toMatchObject({ messageMetadata: { status: 'interrupted' } });
  });
});
