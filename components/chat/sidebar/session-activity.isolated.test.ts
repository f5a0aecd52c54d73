import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sessionActivity } from '#components/chat/sidebar/session-activity.ts';
import { contentRefreshes } from '#components/workspace/content-cache.ts';
import type { SessionActivity } from '#server/core/conversation/session-overview';

/** Writes to one connection. */
type Connection = ReadableStreamDefaultController<Uint8Array>;

let connections: Connection[];
let signals: AbortSignal[];
let end: () => void;

const working: SessionActivity = { sessionId: 'ses_1', state: 'running', queued: 2 };
const asking: SessionActivity = { sessionId: 'ses_2', state: 'waiting_approval', queued: 0 };
const shown = () => [...sessionActivity.get().values()];

function send(event: 'snapshot' | 'changed', sessions: readonly SessionActivity[]): void {
  const text = `id: 1\nevent: sessions:${event}\ndata: ${JSON.stringify({ sessions })}\n\n`;
  connections.at(-1)?.enqueue(new TextEncoder().encode(text));
}

beforeEach(async () => {
  vi.useFakeTimers();
  connections = [];
  signals = [];
  vi.stubGlobal('window', {});
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }));
  vi.stubGlobal('fetch', async (path: string, { signal }: { readonly signal: AbortSignal }) => {
    expect(path).toBe('/api/sessions/events');
    signals.push(signal);
    const body = new ReadableStream<Uint8Array>({
      start: (connection) => {
        connections.push(connection);
        signal.addEventListener('abort', () => connection.error(signal.reason));
      },
    });
    return new Response(body);
  });
  const ends = [sessionActivity.listen(() => undefined), sessionActivity.listen(() => undefined)];
  end = () => ends.forEach((each) => each());
  await vi.waitUntil(() => connections.length > 0);
});
afterEach(async () => {
  end();
  await vi.runAllTimersAsync();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('keeps the newest state of each conversation, over one connection for all components', async () => {
  send('snapshot', [working]);
  await vi.waitFor(() => expect(shown()).toEqual([working]));
  send('changed', [asking, { ...working, queued: 0 }]);
  await vi.waitFor(() => expect(shown()).toEqual([{ ...working, queued: 0 }, asking]));
  expect(connections).toHaveLength(1);
});

it('drops sessions that ended while there was no connection', async () => {
  send('snapshot', [working, asking]);
  await vi.waitFor(() => expect(shown()).toHaveLength(2));
  connections[0]?.error(new TypeError('network error'));
  await vi.waitUntil(() => connections.length === 2);
  send('snapshot', [asking]);
  await vi.waitFor(() => expect(shown()).toEqual([asking]));
});

it('loads the content again when a turn ends, also of a conversation that is not open', async () => {
  send('snapshot', [working]);
  await vi.waitFor(() => expect(shown()).toHaveLength(1));
  const before = contentRefreshes.get();
  send('changed', [{ ...working, queued: 0 }]);
  send('changed', [{ ...working, state: 'idle', queued: 0 }]);
  await vi.waitFor(() => expect(shown()).toEqual([{ ...working, state: 'idle', queued: 0 }]));
  expect(contentRefreshes.get()).toBe(before + 1);
});

it('has a connection only while the page is visible', async () => {
  const show = (visibilityState: DocumentVisibilityState) => {
    Object.assign(document, { visibilityState });
    document.dispatchEvent(new Event('visibilitychange'));
  };
  show('hidden');
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  show('visible');
  await vi.waitUntil(() => connections.length === 2);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
});
