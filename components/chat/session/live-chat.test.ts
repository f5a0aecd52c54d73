import { afterEach, expect, it, vi } from 'vitest';
import type { ChatHooks } from '#components/chat/session/chat-engine';
import { strings } from '#components/words';

afterEach(() => {
  vi.doUnmock('#components/chat/session/chat-engine');
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** What becomes of a message whose page cannot fetch what sends it. @param answers whether a server answers at all */
async function sendWithoutEngine(answers: boolean) {
  vi.resetModules();
  vi.doMock('#components/chat/session/chat-engine', () => {
    throw new Error('404');
  });
  const online: (() => void)[] = [];
  vi.stubGlobal('window', {
    addEventListener: (name: string, listener: () => void) => name === 'online' && online.push(listener),
  });
  let isThere = answers;
  vi.stubGlobal('fetch', () => (isThere ? Promise.resolve(new Response('{}')) : Promise.reject(new TypeError('gone'))));
  const [{ LiveChat }, { connection }] = await Promise.all([
    import('#components/chat/session/live-chat'),
    import('#components/api/connection'),
  ]);
  const failed = vi.fn<(error: Error) => void>();
  const chat = new LiveChat('ses_1', { onError: failed } as unknown as ChatHooks);
  await chat.sendMessage({ id: 'msg_1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }, { body: {} });
  const [[error] = []] = failed.mock.calls;
  const seen = { status: chat.status, kept: chat.messages.map(({ id }) => id), error, connection: connection.state };
  // Nothing goes on asking once the test is over.
  isThere = true;
  await vi.waitFor(() => {
    for (const listener of online) listener();
    expect(connection.state).toBe('online');
  });
  return seen;
}

it('says that the page must be loaded anew where a newer server has its scripts no longer, and keeps the message', async () => {
  expect(await sendWithoutEngine(true)).toMatchObject({
    status: 'error',
    kept: ['msg_1'],
    error: { code: 'not_fetched', message: strings.common.notFetched },
    connection: 'online',
  });
});

it('waits for the connection where no server answers: what has not left is sent then', async () => {
  expect(await sendWithoutEngine(false)).toMatchObject({
    status: 'error',
    kept: ['msg_1'],
    error: { code: 'network' },
    connection: 'offline',
  });
});
