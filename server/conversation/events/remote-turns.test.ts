import type { UIMessageChunk } from 'ai';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { RemoteTurns, type RemoteTurnSource } from '#server/conversation/events/remote-turns';
import type { Message } from '#server/core/conversation/messages';
import type { TurnLogEntry, TurnLogs } from '#server/core/conversation/turn-logs';
import type { Turn } from '#server/core/conversation/turns';
import {
  anyTurn,
  comparable,
  foldChunks,
  playTurn,
  storedAnswer,
  type StoredMoment,
  type TurnScript,
} from '#tests/support/arbitrary-turn';
import { NO_APPROVAL } from '#tests/support/decisions';
import { isDeep } from '#tests/support/deep';

/** A store that goes to its next moment each time the turn is read; it stays at the last one. */
function playBack(moments: readonly StoredMoment[]) {
  let position = -1;
  const moment = () => moments[Math.max(position, 0)]!;
  const source: RemoteTurnSource = {
    pollMs: 0,
    closing: new AbortController().signal,
    turnLogs: null,
    turns: {
      find: async () => {
        position = Math.min(position + 1, moments.length - 1);
        return moment().turn;
      },
      approvals: async () => [],
    },
    messages: {
      find: async (id) => moment().messages.find((message) => message.id === id) ?? null,
      loadFrom: async (_, seq) => moment().messages.filter((message) => message.seq >= seq),
    },
    compactions: { ofSummaries: async () => [...moment().compactions] },
  };
  return source;
}

/** A log from which each connection reads the next list of entries, and then breaks. */
class BreakingLog implements TurnLogs {
  readonly #connections: (readonly (TurnLogEntry | null)[])[];

  constructor(connections: readonly (readonly (TurnLogEntry | null)[])[]) {
    this.#connections = [...connections];
  }

  write(): never {
    throw new Error('Nothing is written here.');
  }

  async *follow() {
    yield* this.#connections.shift() ?? [];
  }
}

const entriesOf = (chunks: readonly UIMessageChunk[]): TurnLogEntry[] =>
  chunks.map((chunk, index) => ({ text: JSON.stringify(chunk), isFirst: index === 0, isPast: false }));

async function readAll(stream: ReadableStream<UIMessageChunk>): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** What a client receives that connects at the first of the moments. */
function follow(moments: readonly StoredMoment[], source: Partial<RemoteTurnSource> = {}) {
  const remote = new RemoteTurns({ ...playBack(moments), ...source });
  return readAll(remote.streamOf(moments[0]!.turn).follow());
}

const says = (text: string): TurnScript => ({
  error: null,
  steps: [{ isCompacted: false, parts: [{ type: 'text', pieces: text.split('|') }], steering: null }],
});
const plain = (chunks: readonly UIMessageChunk[]) =>
  chunks.map((chunk) => ('delta' in chunk ? chunk.delta : chunk.type));

describe('a turn that another process runs', () => {
  it('folds into the message of a reload, from any parts of the store and of a breaking log', async () => {
    const scenario = anyTurn.chain((script) => {
      const moments = playTurn(script);
      const log = entriesOf(moments.flatMap(({ chunks }) => chunks));
      const beginning = fc.nat({ max: log.length }).map((end) => log.slice(0, end));
      // The log may be written again while it is read.
      const connection = fc.array(beginning, { maxLength: 3 }).map((logs) => [...logs.flat(), null]);
      return fc.record({
        moments: fc.subarray(moments.slice(0, -1), { minLength: 1 }).map((seen) => [...seen, moments.at(-1)!]),
        connections: fc.array(connection, { maxLength: 4 }),
      });
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ moments, connections }) => {
        const chunks = await follow(moments, { turnLogs: new BreakingLog(connections) });
        const last = moments.at(-1)!;
        expect(comparable(await foldChunks(chunks))).toEqual(comparable(storedAnswer(last)));
        const count = (wanted: string) => chunks.filter(({ type }) => type === wanted).length;
        expect([count('start'), count('finish')]).toEqual([1, 1]);
        expect(count('error')).toBe(last.turn.error === null ? 0 : 1);
      }),
      { numRuns: isDeep ? 100 : 50 },
    );
  });

  it('sends a text from the log while it is written', async () => {
    const [first, ...later] = playTurn(says('Hel|lo.'));
    const log = entriesOf([
      { type: 'start', messageId: 'msg_2' },
      { type: 'start-step' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'Hel' },
    ]);
    const chunks = await follow([first!, later.at(-1)!], { turnLogs: new BreakingLog([log]) });
    expect(plain(chunks)).toEqual(['start', 'start-step', 'text-start', 'Hel', 'lo.', 'text-end', 'finish']);
  });

  it('does not repeat transient progress from before the client connected', async () => {
    const moments = playTurn(says('Hi'));
    const waiting: UIMessageChunk = { type: 'data-waiting', data: { retryAfterMs: 9 }, transient: true };
    const entry = (isPast: boolean) => ({ text: JSON.stringify(waiting), isFirst: false, isPast });
    const chunks = await follow([moments[0]!, moments.at(-1)!], {
      turnLogs: new BreakingLog([[entry(true), entry(false)]]),
    });
    expect(chunks.filter(({ type }) => type === 'data-waiting')).toHaveLength(1);
  });

  it('does not show what belongs to the turn after it', async () => {
    const moments = playTurn(says('One.'));
    const last = moments.at(-1)!;
    const [request, answer] = last.messages as [Message, Message];
    const next = [request, answer].map((message, index) => ({
      ...message,
      id: `msg_next${index}`,
      seq: message.seq + 2,
      turnId: 'trn_2',
    }));
    const chunks = await follow([moments[0]!, { ...last, messages: [...last.messages, ...next] }]);
    expect(comparable(await foldChunks(chunks))).toEqual(comparable(storedAnswer(last)));
  });

  it('shows the calls that wait for approval when it has ended for them', async () => {
    const call = { type: 'tool-call', input: {}, output: { type: 'text', value: '' } } as const;
    const moments = playTurn({ error: null, steps: [{ isCompacted: false, parts: [call], steering: null }] });
    const asked = moments.find(({ messages }) => messages.at(-1)?.status === 'complete' && messages.length === 2)!;
    const part = asked.messages[1]!.parts[0]!;
    const effect = { summary: 'Reads it.', targets: [], changes: [], references: [], warnings: [] };
    const approval = {
      approvalId: NO_APPROVAL,
      partId: part.id,
      sessionId: asked.turn.sessionId,
      turnId: asked.turn.id,
      toolCallId: 'call_1',
      input: {},
      ...({ toolName: 'get_content', effect, status: 'pending', reason: null, decidedAt: null } as const),
    };
    const waiting = { ...asked, turn: { ...asked.turn, status: 'waiting_approval' as const } };
    const { turns } = playBack([asked, waiting]);
    const chunks = await follow([asked, waiting], { turns: { ...turns, approvals: async () => [approval] } });
    expect(chunks.slice(-2)).toMatchObject([
      { type: 'tool-approval-request', approvalId: NO_APPROVAL, approvalDescriptor: effect },
      { type: 'finish' },
    ]);
  });

  it('ends when its session was deleted', async () => {
    const [first] = playTurn(says('Hi'));
    const gone: Turn | null = null;
    const turns = { find: async () => gone, approvals: async () => [] };
    expect(await follow([first!], { turns })).toEqual([{ type: 'finish' }]);
  });

  it('breaks the connection of its readers when the store cannot be read', async () => {
    const [first] = playTurn(says('Hi'));
    const turns = { find: () => Promise.reject(new Error('No disk.')), approvals: async () => [] };
    await expect(follow([first!], { turns })).rejects.toThrow('No disk.');
  });

  it('is read once for all its readers, and no longer when the last one has left', async () => {
    const [first] = playTurn(says('Hi'));
    const find = vi.fn(async () => first!.turn);
    const remote = new RemoteTurns({ ...playBack([first!]), turns: { find, approvals: async () => [] } });
    const stream = remote.streamOf(first!.turn);
    const readers = [stream.follow().getReader(), remote.streamOf(first!.turn).follow().getReader()];
    expect(remote.streamOf(first!.turn)).toBe(stream);
    await readers[0]!.cancel();
    const before = find.mock.calls.length;
    await vi.waitUntil(() => find.mock.calls.length >= before + 2);
    await readers[1]!.cancel();
    expect(remote.streamOf(first!.turn)).not.toBe(stream);
  });
});
