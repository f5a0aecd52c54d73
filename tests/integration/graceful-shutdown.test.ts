import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { messageSchema } from '#server/core/conversation/messages';
import { enqueuedSchema } from '#server/core/conversation/turns';
import { sessionSchema } from '#server/core/conversation/sessions';
import { pageOf } from '#server/core/shapes';
import { openDatabase } from '#server/platform/database/database';
import { queuedMessages, turns } from '#server/platform/database/schema/turns';
import { startFakeOpenRouter } from '#tests/support/fake-openrouter';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';
import { sendRequest } from '#tests/support/rest-client';

const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index} `);
const said = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] });

const folder = mkdtempSync(join(tmpdir(), 'throughline-shutdown-'));
let files = 0;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function post(server: ProductionServer, path: string, body: unknown = {}) {
  const answer = await sendRequest(server.url, { method: 'POST', path, body });
  expect(answer.status, `${path}: ${answer.text.slice(0, 300)}`).toBeLessThan(300);
  return answer;
}

async function startConversation(baseUrl: string, env: Record<string, string> = {}) {
  const settings = { OPENROUTER_API_KEY: 'test', OPENROUTER_BASE_URL: baseUrl, DEFAULT_MODEL: 'openai/gpt-4o', ...env };
  const databaseFile = join(folder, `${files++}.db`);
  const server = await startProductionServer({ databaseFile, env: settings });
  const { id } = sessionSchema.parse((await post(server, '/api/sessions')).json());
  const say = (text: string) => post(server, '/api/chat', { id, message: said(text) });
  const queue = async (text: string) =>
    enqueuedSchema.parse((await post(server, '/api/message/queue', { sessionId: id, message: said(text) })).json());
  const restart = () => startProductionServer({ databaseFile, env: settings });
  return { server, id, say, queue, restart, databaseFile };
}

async function readMessages(server: ProductionServer, id: string) {
  const answer = await sendRequest(server.url, { method: 'GET', path: `/api/sessions/${id}/messages?limit=1000` });
  return pageOf(messageSchema)
    .parse(answer.json())
    .items.map(({ role, status, parts }) => ({
      role,
      status,
      text: parts.map((part) => (part.type === 'text' ? part.content.text : '')).join(''),
    }));
}

/** Until the server, asked to stop, takes no new connections. */
async function untilDeaf(server: ProductionServer): Promise<void> {
  const isListening = () => fetch(`${server.url}/api/health`).then(Boolean, () => false);
  while (await isListening()) await delay(10);
}

/** What a server has left in its database file. */
async function left(databaseFile: string) {
  await using db = await openDatabase({ url: `file:${databaseFile}` });
  const stored = await db.read.select({ status: turns.status }).from(turns).orderBy(turns.id);
  const waiting = await db.read.select({ id: queuedMessages.id }).from(queuedMessages);
  return { turns: stored.map(({ status }) => status), waiting: waiting.length };
}

describe('a server that is asked to stop', () => {
  it('keeps a partial long answer, tells a client of /v1, and continues the queue at the next start', async () => {
    const isAbout = ({ messages }: { readonly messages: readonly unknown[] }, about: string) =>
      JSON.stringify(messages).includes(about);
    await using provider = await startFakeOpenRouter({
      respond: (request) => {
        if (isAbout(request, 'A program asks')) return { silentAfter: ['Once ', 'upon '] };
        return isAbout(request, 'And then?') ? { text: 'Here it is.' } : { chunks: words(5_000), chunkDelayMs: 10 };
      },
    });
    const chat = await startConversation(provider.baseUrl, { SHUTDOWN_LIMIT_MS: '300' });
    const answering = chat.say('Tell me a long story.');
    const body = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'A program asks.' }], stream: true };
    const streaming = post(chat.server, '/v1/chat/completions', body);
    await provider.waitForText((sent) => sent.includes('upon '));
    await provider.waitForText((sent) => sent.includes('word60 '));
    expect(await chat.queue('And then?')).toMatchObject({ queued: true, position: 1 });

    expect(await chat.server.stop()).toBe(143);
    expect((await answering).text).toContain('word50 ');
    const [last = ''] = (await streaming).text.trim().split('\n\n').slice(-1);
    expect(JSON.parse(last.replace('data: ', ''))).toMatchObject({ error: { code: 'stopping' } });
    for (const { index } of provider.requests)
      await provider.waitForRequest((request) => request.index === index && request.state !== 'open');
    expect(provider.requests.map(({ state }) => state)).toEqual(['client-closed', 'client-closed']);
    expect(await left(chat.databaseFile)).toEqual({ turns: ['interrupted'], waiting: 1 });

    await using restarted = await chat.restart();
    await provider.waitForRequest((request) => isAbout(request, 'And then?'));
    const read = () => readMessages(restarted, chat.id);
    await expect.poll(async () => (await read()).at(-1)).toMatchObject({ status: 'complete', text: 'Here it is.' });
    const messages = await read();
    expect(messages.map(({ role, status }) => `${role} ${status}`)).toEqual([
      'user complete',
      'assistant interrupted',
      'user complete',
      'assistant complete',
    ]);
    expect(messages[1]?.text).toContain('word60 ');
    const story = provider.requests.find((request) => isAbout(request, 'long story'));
    expect(story?.sentText.startsWith(messages[1]?.text ?? '-')).toBe(true);
    expect(messages[2]?.text).toBe('And then?');
  });

  it('finishes a step that ends in time, starts nothing new, and refuses later requests', async () => {
    const goOn = Promise.withResolvers<void>();
    await using provider = await startFakeOpenRouter({
      respond: () => ({ chunks: words(80), restAfter: goOn.promise }),
    });
    const chat = await startConversation(provider.baseUrl, { SHUTDOWN_LIMIT_MS: '600000' });
    const { server, id } = chat;
    const answering = chat.say('Tell me a story.');
    await provider.waitForText((sent) => sent.includes('word0 '));
    expect(await chat.queue('And then?')).toMatchObject({ queued: true });
    const follower = sendRequest(server.url, { method: 'GET', path: `/api/chat/${id}/stream` }).catch(() => null);
    const { port, host } = new URL(server.url);
    const line = (path: string) => `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
    const socket = connect(Number(port), '127.0.0.1');
    let heard = '';
    socket.setEncoding('utf8').on('data', (text: string) => (heard += text));
    const ended = once(socket, 'close');
    socket.write(line(`/api/sessions/${id}/events`));
    await vi.waitFor(() => expect(heard).toContain('retry: '));

    const stopped = server.stop();
    await untilDeaf(server);
    // On an open connection; its answer arrives after the stream of events, which ends with the turn.
    socket.write(line('/api/ready'));
    goOn.resolve();
    expect(await stopped).toBe(143);
    expect((await answering).text).toContain('word79 ');
    await Promise.all([ended, follower]);
    expect(heard).toMatch(/HTTP\/1\.1 503[\s\S]*retry-after: 5[\s\S]*"stopping"/i);
    await provider.waitForRequest(({ state }) => state !== 'open');
    expect(provider.requests.map(({ state }) => state)).toEqual(['finished']);
    expect(await left(chat.databaseFile)).toEqual({ turns: ['completed'], waiting: 1 });
  });

  it('exits immediately at a second signal', async () => {
    await using provider = await startFakeOpenRouter({ respond: () => ({ hang: true }) });
    const chat = await startConversation(provider.baseUrl, { SHUTDOWN_LIMIT_MS: '600000' });
    const answering = chat.say('Tell me a story.').catch(() => 'the connection broke');
    await provider.waitForRequest();
    process.kill(chat.server.pid, 'SIGTERM');
    await untilDeaf(chat.server);
    expect(await chat.server.stop()).toBe(143);
    await answering;
    expect(await left(chat.databaseFile)).toMatchObject({ turns: ['running'] });
  });
});
