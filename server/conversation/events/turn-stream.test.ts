import fc from 'fast-check';
import { DefaultChatTransport, type UIMessageChunk } from 'ai';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { chatStreamResponse, TurnStream, TurnStreams } from '#server/conversation/events/turn-stream';
import { anyTurn, playTurn } from '#tests/support/arbitrary-turn';

async function readAll(stream: ReadableStream<UIMessageChunk>): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  const reader = stream.getReader();
  for (let result = await reader.read(); !result.done; result = await reader.read()) chunks.push(result.value);
  return chunks;
}

/** With neighbouring pieces of one text as one. */
function merged(chunks: readonly UIMessageChunk[]): UIMessageChunk[] {
  const result: UIMessageChunk[] = [];
  for (const chunk of chunks) {
    const last = result.at(-1);
    const isSame = last && 'delta' in last && 'delta' in chunk && last.type === chunk.type;
    if (isSame) result[result.length - 1] = { ...chunk, delta: last.delta + chunk.delta } as UIMessageChunk;
    else if (last?.type === 'tool-input-delta' && chunk.type === 'tool-input-delta')
      result[result.length - 1] = { ...chunk, inputTextDelta: last.inputTextDelta + chunk.inputTextDelta };
    else result.push(chunk);
  }
  return result;
}

/** A turn that succeeds, all it streams, and where its clients come and go. */
const scenario = anyTurn.chain((script) => {
  const moments = playTurn({ ...script, error: null });
  const chunks = moments.flatMap((moment) => moment.chunks);
  const place = fc.nat({ max: chunks.length });
  return fc.record({ moments: fc.constant(moments), chunks: fc.constant(chunks), cut: place, back: place });
});

describe('the stream of a turn', () => {
  it('sends the same to every reader, at any time and speed', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, fc.nat({ max: 3 }), async ({ chunks, cut, back }, wanted) => {
        const stream = new TurnStream();
        const slow = stream.follow().getReader();
        const taken: UIMessageChunk[] = [];
        for (const chunk of chunks.slice(0, cut)) stream.publish(chunk);
        const early = readAll(stream.follow());
        for (let count = 0; count < Math.min(wanted, cut); count += 1) taken.push((await slow.read()).value!);
        for (const [index, chunk] of chunks.slice(cut).entries()) {
          stream.publish(chunk);
          if (index === back) await new Promise((resolve) => setImmediate(resolve));
        }
        const late = readAll(stream.follow());
        stream.close();
        for (let next = await slow.read(); !next.done; next = await slow.read()) taken.push(next.value);
        const said = merged(chunks);
        expect(merged(await early)).toEqual(said);
        expect(merged(taken)).toEqual(said);
        expect(await late).toEqual(said);
      }),
    );
  });

  it('shows passing progress to present readers only', async () => {
    const stream = new TurnStream();
    const there = readAll(stream.follow());
    stream.publish({ type: 'data-context', data: 1, transient: true });
    stream.publish({ type: 'start', messageId: 'msg_1' });
    const later = readAll(stream.follow());
    stream.close();
    expect(await there).toHaveLength(2);
    expect(await later).toHaveLength(1);
  });

  describe('with a model that is faster than 16 ms', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => {
      expect(vi.getTimerCount()).toBe(0);
      vi.useRealTimers();
    });
    const words = (delta: string): UIMessageChunk => ({ type: 'text-delta', id: 't', delta });
    const settle = () => vi.advanceTimersByTimeAsync(0);

    it('sends the first piece immediately, and joins those that follow soon', async () => {
      const stream = new TurnStream();
      const got: string[] = [];
      const read = stream
        .follow()
        .pipeTo(new WritableStream({ write: (chunk) => void got.push('delta' in chunk ? chunk.delta : chunk.type) }));
      stream.publish(words('a'));
      await settle();
      expect(got).toEqual(['a']);
      stream.publish(words('b'));
      await vi.advanceTimersByTimeAsync(15);
      stream.publish(words('c'));
      await settle();
      expect(got).toEqual(['a']);
      await vi.advanceTimersByTimeAsync(1);
      expect(got).toEqual(['a', 'bc']);
      stream.publish(words('d'));
      stream.publish({ type: 'text-end', id: 't' });
      await settle();
      expect(got).toEqual(['a', 'bc', 'd', 'text-end']);
      await vi.advanceTimersByTimeAsync(16);
      stream.publish(words('e'));
      await settle();
      expect(got.at(-1)).toBe('e');
      stream.publish(words('f'));
      stream.close();
      await read;
      expect(got.at(-1)).toBe('f');
    });

    it('keeps nothing for a reader that does not read, and replays a text as one chunk', async () => {
      const stream = new TurnStream();
      const reader = stream.follow().getReader();
      stream.publish({ type: 'text-start', id: 't' });
      stream.publish(words('0'));
      expect((await reader.read()).value).toMatchObject({ type: 'text-start' });
      expect((await reader.read()).value).toEqual(words('0'));
      for (let index = 0; index < 1_000; index += 1) {
        stream.publish(words('x'));
        stream.publish({ type: 'data-context', data: index, transient: true });
        await vi.advanceTimersByTimeAsync(16);
      }
      expect((await reader.read()).value).toEqual(words('x'.repeat(1_000)));
      expect((await reader.read()).value).toMatchObject({ type: 'data-context', data: 999 });
      const late = readAll(stream.follow());
      stream.close();
      expect(await late).toEqual([{ type: 'text-start', id: 't' }, words('0' + 'x'.repeat(1_000))]);
      expect((await reader.read()).done).toBe(true);
    });
  });

  it('is found while it runs; the end of an old one does not hide a new one', () => {
    const streams = new TurnStreams(null);
    const [first, second] = [
      { id: 'trn_1', sessionId: 'ses_1' },
      { id: 'trn_2', sessionId: 'ses_1' },
    ];
    const old = streams.open(first);
    expect(streams.ofTurn(first)).toBe(old);
    const next = streams.open(second);
    streams.close('ses_1', old);
    expect(streams.find('ses_1')).toBe(next);
    expect([streams.ofTurn(first), streams.ofTurn(second)]).toEqual([null, next]);
    streams.close('ses_1', next);
    expect(streams.find('ses_1')).toBeNull();
  });

  it('copies each chunk for other processes, and can give them all again', () => {
    const entries: string[] = [];
    let all = (): readonly string[] => [];
    const copy = {
      add: (entry: string, log: () => readonly string[]) => {
        entries.push(entry);
        all = log;
      },
      end: () => entries.push('end'),
    };
    const stream = new TurnStream({ copy });
    const chunks: UIMessageChunk[] = [
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'a' },
      { type: 'data-context', data: 1, transient: true },
      { type: 'text-delta', id: 't', delta: 'b' },
    ];
    for (const chunk of chunks) stream.publish(chunk);
    stream.close();
    expect(entries).toEqual([...chunks.map((chunk) => JSON.stringify(chunk)), 'end']);
    expect(all().map((entry) => JSON.parse(entry) as unknown)).toEqual([
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'ab' },
    ]);
  });

  describe('that continues after a decision', () => {
    const earlier: UIMessageChunk[] = [
      { type: 'text-start', id: 'part-1' },
      { type: 'text-delta', id: 'part-1', delta: 'May I?' },
      { type: 'text-end', id: 'part-1' },
    ];
    const start: UIMessageChunk = { type: 'start', messageId: 'msg_1' };
    const result: UIMessageChunk = { type: 'tool-output-available', toolCallId: 'c', output: 'Gone.' };

    it.each(['before', 'behind'])(
      'leaves out what its reader has, if it comes %s the repeated chunks',
      async (when) => {
        const stream = new TurnStream();
        const early = when === 'before' ? [stream.follow({ continues: true }), stream.follow()] : null;
        const [read, replayed] = early?.map(readAll) ?? [];
        stream.publish(start);
        stream.repeat(earlier);
        const [late, replay] = early ? [] : [readAll(stream.follow({ continues: true })), readAll(stream.follow())];
        stream.publish(result);
        stream.close();
        expect(await (read ?? late)).toEqual([start, result]);
        expect(await (replayed ?? replay)).toEqual([start, ...earlier, result]);
      },
    );

    it('sends a text that follows the repeated one in full', async () => {
      const stream = new TurnStream();
      const read = readAll(stream.follow({ continues: true }));
      stream.repeat(earlier);
      const said: UIMessageChunk[] = [
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: 'As you like.' },
      ];
      for (const chunk of said) stream.publish(chunk);
      const late = readAll(stream.follow({ continues: true }));
      stream.close();
      expect([await read, await late]).toEqual([said, said]);
    });
  });
});

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

describe('the stream of a turn whose model is silent', () => {
  afterEach(() => void vi.useRealTimers());

  it('sends comments, which the AI SDK’s client ignores, and none after its end', async () => {
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

  it('sends none after its reader has left', async () => {
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
