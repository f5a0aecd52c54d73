import { DefaultChatTransport, type UIMessageChunk } from 'ai';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { chatStreamResponse } from '#server/agent/turn-stream';

const KEEP_ALIVE_MS = 1_000;
const CHUNKS: UIMessageChunk[] = [
  { type: 'start', messageId: 'msg_1' },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Hello' },
  { type: 'text-end', id: 't' },
  { type: 'finish' },
];

/** A turn whose model says something when the test does, and its answer. */
function setUp() {
  let turn!: ReadableStreamDefaultController<UIMessageChunk>;
  const stream = new ReadableStream<UIMessageChunk>({ start: (own) => void (turn = own) });
  return { turn, response: chatStreamResponse(stream, KEEP_ALIVE_MS) };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('the stream of a turn whose model is silent', () => {
  it('sends comments meanwhile, which the AI SDK’s client passes over, and none behind its end', async () => {
    vi.useFakeTimers();
    const { turn, response } = setUp();
    const [watched, sent] = response.body!.tee();
    const text = new Response(watched).text();
    const transport = new DefaultChatTransport({ fetch: () => Promise.resolve(new Response(sent)) });
    const received = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: 'ses_1',
      messageId: undefined,
      messages: [],
      abortSignal: undefined,
    });
    const chunks: UIMessageChunk[] = [];
    const read = received.pipeTo(new WritableStream({ write: (chunk) => void chunks.push(chunk) }));
    for (const chunk of CHUNKS) {
      await vi.advanceTimersByTimeAsync(KEEP_ALIVE_MS);
      turn.enqueue(chunk);
    }
    turn.close();
    await read;
    expect(chunks).toEqual(CHUNKS);
    const frames = (await text).split('\n\n');
    expect(frames.filter((frame) => frame === ': keep-alive')).toHaveLength(CHUNKS.length);
    expect(frames.filter((frame) => frame.startsWith('data: '))).toHaveLength(CHUNKS.length + 1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('sends none any more once its reader is gone', async () => {
    vi.useFakeTimers();
    const { response } = setUp();
    const reader = response.body!.getReader();
    await reader.read();
    expect(vi.getTimerCount()).toBe(1);
    await reader.cancel();
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
