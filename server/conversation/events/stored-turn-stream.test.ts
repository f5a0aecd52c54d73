import { NO_APPROVAL } from '#tests/support/decisions';
import fc from 'fast-check';
import type { UIMessageChunk } from 'ai';
import { describe, expect, it } from 'vitest';
import { followStoredTurn, type StoredTurnSource } from '#server/conversation/events/stored-turn-stream';
import { toUIMessages } from '#server/conversation/step/ui-messages';
import type { Message } from '#server/core/conversation/messages';
import { turnTopic } from '#server/core/conversation/events';
import {
  anyTurn,
  comparable,
  foldChunks,
  playTurn,
  type StoredMoment,
  TURN_SESSION,
  type TurnScript,
} from '#tests/support/arbitrary-turn';

/** A store that steps from one moment of a turn to the next on request. */
class Playback {
  #moment: StoredMoment;
  #listener: (() => void) | null = null;
  readonly source: StoredTurnSource = {
    pollMs: 600_000,
    turns: {
      running: async () => (this.#moment.turn.status === 'running' ? this.#moment.turn : null),
      find: async () => this.#moment.turn,
      approvals: async () => [],
    },
    messages: {
      find: async (id) => this.#moment.messages.find((message) => message.id === id) ?? null,
      loadFrom: async (_, seq) => this.#moment.messages.filter((message) => message.seq >= seq),
    },
    compactions: { ofSummaries: async () => [...this.#moment.compactions] },
    signals: {
      subscribe: (topic, listener) => {
        expect(topic).toBe(turnTopic(TURN_SESSION));
        this.#listener = listener;
        return () => (this.#listener = null);
      },
    },
  };

  constructor(moment: StoredMoment) {
    this.#moment = moment;
  }

  get isFollowed(): boolean {
    return this.#listener !== null;
  }

  show(moment: StoredMoment): void {
    this.#moment = moment;
    this.#listener?.();
  }
}

/** What a client is sent that comes at the first of the moments and sees each of them, or of some only what came after. */
async function follow(moments: readonly StoredMoment[], source?: Partial<StoredTurnSource>) {
  const [first, ...later] = moments;
  if (!first) throw new Error('There is nothing to follow.');
  const playback = new Playback(first);
  const reader = followStoredTurn({ ...playback.source, ...source }, TURN_SESSION).getReader();
  const chunks: UIMessageChunk[] = [];
  const reading = (async () => {
    for (let result = await reader.read(); !result.done; result = await reader.read()) chunks.push(result.value);
  })();
  for (const moment of later) {
    await new Promise((resolve) => setImmediate(resolve));
    playback.show(moment);
  }
  await reading;
  expect(playback.isFollowed).toBe(false);
  return chunks;
}

const answerOf = ({ messages, compactions }: StoredMoment) =>
  toUIMessages(messages, compactions).find(({ role }) => role === 'assistant');
const says = (text: string): TurnScript => ({
  error: null,
  steps: [{ isCompacted: false, parts: [{ type: 'text', pieces: text.split('|') }], steering: null }],
});

describe('a turn that another process runs', () => {
  it('folds into the message that a reload shows, for any start and any moments in between', async () => {
    const scenario = anyTurn.chain((script) => {
      const moments = playTurn(script);
      const last = moments.at(-1);
      const seen = fc.subarray(moments.slice(0, -1), { minLength: 1 });
      return seen.map((some) => ({ moments: last ? [...some, last] : some, last }));
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ moments, last }) => {
        const chunks = await follow(moments);
        expect(comparable(await foldChunks(chunks))).toEqual(comparable(last && answerOf(last)));
        expect(chunks.map(({ type }) => type).filter((type) => type === 'start' || type === 'finish')).toEqual([
          'start',
          'finish',
        ]);
        expect(chunks.some(({ type }) => type === 'error')).toBe(last?.turn.error !== null);
      }),
    );
  });

  it('streams text as it grows, under the metadata of an answer that is not complete until it is', async () => {
    const chunks = await follow(playTurn(says('Hel|lo.')));
    expect(chunks.map((chunk) => ('delta' in chunk ? chunk.delta : chunk.type))).toEqual([
      'start',
      'start-step',
      'text-start',
      'Hel',
      'lo.',
      'text-end',
      'finish',
    ]);
    expect(chunks[0]).toMatchObject({ messageId: 'msg_2', messageMetadata: { status: 'streaming' } });
    expect(chunks.at(-1)).toMatchObject({ messageMetadata: { status: 'complete' } });
  });

  it('begins with the answer, whose id is unknown from a summary before it', async () => {
    const script: TurnScript = { error: null, steps: [{ ...says('Hi').steps[0]!, isCompacted: true }] };
    const chunks = await follow(playTurn(script));
    expect(chunks[0]).toMatchObject({ type: 'start', messageId: 'msg_3' });
    expect(chunks[1]).toMatchObject({ type: 'data-compaction', data: { phase: 'complete' } });
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
    expect(comparable(await foldChunks(chunks))).toEqual(comparable(answerOf(last)));
  });

  it('shows the calls that wait for the user once it has ended for them', async () => {
    const call = { type: 'tool-call', input: {}, output: { type: 'text', value: '' } } as const;
    const moments = playTurn({ error: null, steps: [{ isCompacted: false, parts: [call], steering: null }] });
    const asked = moments.find(({ messages }) => messages.at(-1)?.status === 'complete' && messages.length === 2)!;
    const part = asked.messages[1]!.parts[0]!;
    const approval = {
      approvalId: NO_APPROVAL,
      partId: part.id,
      sessionId: TURN_SESSION,
      turnId: 'trn_1',
      toolCallId: 'call_1',
      input: {},
    };
    const effect = { summary: 'Reads it.', targets: [], changes: [], references: [], warnings: [] };
    const rest = { toolName: 'get_content', effect, status: 'pending', reason: null, decidedAt: null } as const;
    const turns = { ...new Playback(asked).source.turns, approvals: async () => [{ ...approval, ...rest }] };
    const waiting = { ...asked, turn: { ...asked.turn, status: 'waiting_approval' as const } };
    const shown = { ...turns, running: async () => asked.turn, find: async () => waiting.turn };
    const chunks = await follow([asked, waiting], { turns: shown });
    expect(chunks.slice(-2)).toMatchObject([
      { type: 'tool-approval-request', approvalId: NO_APPROVAL, approvalDescriptor: effect },
      { type: 'finish' },
    ]);
  });

  it('ends immediately if none runs or its session was deleted', async () => {
    const last = playTurn(says('Hi')).at(-1)!;
    expect(await follow([last])).toEqual([{ type: 'finish' }]);
    const running = { ...last, turn: { ...last.turn, status: 'running' as const } };
    const turns = { ...new Playback(running).source.turns, find: async () => null };
    expect((await follow([running, last], { turns })).at(-1)).toEqual({ type: 'finish' });
  });

  it('releases everything when its reader leaves', async () => {
    const playback = new Playback(playTurn(says('Hi'))[0]!);
    const reader = followStoredTurn(playback.source, TURN_SESSION).getReader();
    const waiting = reader.read();
    await reader.cancel();
    expect((await waiting).done).toBe(true);
    expect(playback.isFollowed).toBe(false);
  });
});
