import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '#server/core/conversation/messages';
import type { Turn } from '#server/core/conversation/turns';
import {
  call,
  createTurnSession,
  lease,
  owner,
  result,
  say,
  textOf,
  type TurnSession,
} from '#tests/support/turn-session';
import { isDeep } from '#tests/support/deep';

/** Room for about three of the messages below, so that some have to wait for the next drain. */
const maxTokens = 40;
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('send' as const), tokens: fc.constantFrom(1, 10, 60) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('repeat' as const), pick: fc.nat(50) }) },
  { weight: 3, arbitrary: fc.constant({ do: 'drain' } as const) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('call' as const), calls: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('answer' as const), all: fc.boolean() }) },
  { weight: 4, arbitrary: fc.constant({ do: 'finish' } as const) },
  { weight: 2, arbitrary: fc.constant({ do: 'die' } as const) },
  { weight: 2, arbitrary: fc.constant({ do: 'cancel' } as const) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('beginQueued' as const), release: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sendAlone' as const), pick: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sendNext' as const), pick: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), pick: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('decide' as const), approved: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const), on: fc.boolean() }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** One session and what has been done to it. Message n says `<n>`. */
class Play {
  readonly #t: TurnSession;
  readonly sessionId: string;
  #sent = 0;
  #calls = 0;
  readonly removed = new Set<number>();
  /** Sent before their turn, because the user wanted it. */
  readonly jumped = new Set<number>();
  /** Ids of what goes although the queue is held. */
  readonly #released = new Set<string>();

  constructor(t: TurnSession, sessionId: string) {
    this.#t = t;
    this.sessionId = sessionId;
  }

  async do(action: Step): Promise<void> {
    const { turns, compactions, request } = this.#t;
    const { sessionId } = this;
    switch (action.do) {
      case 'send': {
        const n = this.#sent;
        const message = say(`<${n}>`, action.tokens);
        await turns.begin(request(message, { sessionId, maxTokens, clientRequestId: `req-${n}` }));
        this.#sent += 1;
        return;
      }
      case 'repeat': {
        if (this.#sent === 0) return;
        const n = action.pick % this.#sent;
        const repeated = request(say(`<${n}>`), { sessionId, maxTokens, clientRequestId: `req-${n}` });
        expect((await turns.begin(repeated)).kind).toBe('repeated');
        return;
      }
      case 'drain':
        await this.#whileRunning((turn) => this.#drain(turn));
        return;
      case 'call':
        await this.#whileRunning((turn) => this.#call(turn, action.calls));
        return;
      case 'answer':
        await this.#whileRunning((turn) => this.#answer(turn, action.all));
        return;
      case 'finish':
        await this.#whileRunning((turn) => this.#finish(turn));
        return;
      case 'die':
        await this.#whileRunning(async ({ id }) => {
          this.#t.clock.time += 2 * lease.leaseMs;
          expect(await turns.settle(id)).toEqual({ settled: true });
        });
        return;
      case 'cancel':
        await turns.requestCancel(sessionId);
        this.#released.clear();
        return;
      case 'beginQueued': {
        const { held } = await turns.queue(sessionId);
        const begun = await turns.beginQueued(
          sessionId,
          { ...lease, maxTokens },
          action.release ? { release: owner } : {},
        );
        if (held && !action.release) this.#expectReleased(begun);
        return;
      }
      case 'sendAlone': {
        const item = await this.#waiting(action.pick);
        const sent = item && (await turns.beginQueued(sessionId, { ...lease, maxTokens }, { only: item.id }));
        if (sent) this.jumped.add(item.n);
        return;
      }
      case 'sendNext': {
        const item = await this.#waiting(action.pick);
        if (!item) return;
        await turns.sendNext(item.id, owner);
        this.jumped.add(item.n);
        this.#released.add(item.id);
        return;
      }
      case 'remove': {
        const item = await this.#waiting(action.pick);
        if (item) await turns.removeQueued(item.id);
        if (item) this.removed.add(item.n);
        return;
      }
      case 'decide': {
        const [approval] = await turns.pendingApprovals(sessionId);
        if (!approval) return;
        const decision = { approvalId: approval.approvalId, approved: action.approved };
        // Refused while a compaction has the session.
        await turns.decide(sessionId, [decision], lease).catch(() => undefined);
        return;
      }
      case 'compact':
        if (action.on) await compactions.acquire(sessionId, { leaseOwner: 'compactor', leaseMs: lease.leaseMs });
        else await compactions.release(sessionId, 'compactor');
    }
  }

  async #whileRunning(work: (turn: Turn) => Promise<unknown>): Promise<void> {
    const turn = await this.#t.turns.running(this.sessionId);
    if (turn) await work(turn);
  }

  async #waiting(pick: number): Promise<{ id: string; n: number } | undefined> {
    const { items } = await this.#t.turns.queue(this.sessionId);
    const item = items[pick % items.length];
    return item && { id: item.id, n: numbersIn(textOf(item.parts))[0]! };
  }

  /** Between two steps: every call has its result. */
  async #drain({ id }: Turn): Promise<void> {
    if ((await this.openCalls(id)).length > 0) return;
    const { held } = await this.#t.turns.queue(this.sessionId);
    const drained = await this.#t.turns.drain(id, lease.leaseOwner, maxTokens);
    if (held) this.#expectReleased(drained);
  }

  #expectReleased(taken: { readonly dequeued: readonly string[] } | null): void {
    for (const id of taken?.dequeued ?? []) expect(this.#released).toContain(id);
  }

  /** The model calls tools; only once it has the results of those before. */
  async #call(turn: Turn, count: number): Promise<void> {
    if ((await this.openCalls(turn.id)).length > 0) return;
    const ids = Array.from({ length: count }, () => `call_${(this.#calls += 1)}`);
    const parts = ids.map((id) => call(id));
    await this.#t.messages.append(this.sessionId, { role: 'assistant', turnId: turn.id, parts });
  }

  async #answer(turn: Turn, all: boolean): Promise<void> {
    const open = await this.openCalls(turn.id);
    const answered = all ? open : open.slice(0, 1);
    if (answered.length === 0) return;
    const parts = answered.map(({ toolCallId }) => result(toolCallId));
    await this.#t.messages.append(this.sessionId, { role: 'tool', turnId: turn.id, parts });
  }

  /** What it has not run, it asks for, once; a cancelled one, and what was decided, it answers. */
  async #finish(turn: Turn): Promise<void> {
    const { turns } = this.#t;
    if (turn.cancelRequestedAt !== null || (await turns.approvals(turn.id)).length > 0) await this.#answer(turn, true);
    const approvals = (await this.openCalls(turn.id)).map(({ partId }) => ({ partId, effect: null }));
    const ended = turn.cancelRequestedAt === null ? 'completed' : 'cancelled';
    const status = approvals.length > 0 ? 'waiting_approval' : ended;
    await turns.finish(turn.id, { status, error: null, approvals });
  }

  /** Calls without a result, of one turn or of all. */
  async openCalls(turnId?: string): Promise<{ turnId: string | null; partId: string; toolCallId: string }[]> {
    const messages = await this.messages();
    const answered = new Set(messages.flatMap(({ parts }) => parts).map(resultOf));
    return messages
      .filter((message) => turnId === undefined || message.turnId === turnId)
      .flatMap(({ turnId: ofTurn, parts }) =>
        parts.flatMap((part) =>
          part.type === 'tool-call' && !answered.has(part.content.toolCallId)
            ? [{ turnId: ofTurn, partId: part.id, toolCallId: part.content.toolCallId }]
            : [],
        ),
      );
  }

  async messages(): Promise<readonly Message[]> {
    return (await this.#t.messages.loadView(this.sessionId)).messages;
  }

  get accepted(): number[] {
    return Array.from({ length: this.#sent }, (_, n) => n).filter((n) => !this.removed.has(n));
  }

  /** The numbers of all messages as they were said and will be. */
  async order(): Promise<number[]> {
    const said = (await this.messages()).filter(({ role }) => role === 'user').map(({ parts }) => textOf(parts));
    const waiting = (await this.#t.turns.queue(this.sessionId)).items.map(({ parts }) => textOf(parts));
    return [...said, ...waiting].flatMap(numbersIn);
  }
}

const numbersIn = (words: string) => Array.from(words.matchAll(/<(\d+)>/g), ([, n]) => Number(n));

function resultOf(part: Message['parts'][number]): string | undefined {
  return part.type === 'tool-result' ? part.content.toolCallId : undefined;
}

/** Results follow their calls, with only results of the same step in between. */
function expectResultsBehindCalls(messages: readonly Message[]): void {
  let calls = new Set<string>();
  for (const { role, parts } of messages) {
    if (role !== 'tool') calls = new Set();
    for (const part of parts) {
      if (part.type === 'tool-call') calls.add(part.content.toolCallId);
      if (part.type === 'tool-result') expect(calls.delete(part.content.toolCallId)).toBe(true);
    }
  }
}

describe('any sequence of events', () => {
  let t: TurnSession;
  beforeAll(async () => {
    t = await createTurnSession();
  });
  afterAll(() => t.db.close());

  async function play(steps: readonly Step[]): Promise<Play> {
    const { id } = await t.sessions.create({ ownerId: 'own_1' });
    const played = new Play(t, id);
    for (const action of steps) await played.do(action);
    return played;
  }

  it('keeps every accepted message once and in order, and no call without its end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const played = await play(steps);
        const order = await played.order();
        expect(order.toSorted((a, b) => a - b)).toEqual(played.accepted);
        const unjumped = order.filter((n) => !played.jumped.has(n));
        expect(unjumped).toEqual(unjumped.toSorted((a, b) => a - b));

        expectResultsBehindCalls(await played.messages());
        const running = await t.turns.running(played.sessionId);
        const pending = await t.turns.pendingApprovals(played.sessionId);
        if (running) expect(pending).toEqual([]);
        for (const { turnId, partId } of await played.openCalls()) {
          const isAsked = (await t.turns.approvals(turnId!)).some((approval) => approval.partId === partId);
          expect(turnId === running?.id || (isAsked && pending.length > 0)).toBe(true);
        }
      }),
      { numRuns: isDeep ? 1_000 : 80 },
    );
  });

  it('ends with every message answered once the user releases the queue', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const played = await play([...steps, { do: 'compact', on: false }]);
        const { sessionId } = played;
        for (let i = 0; i < played.accepted.length + 2; i += 1) {
          for (const action of ['die', 'beginQueued'] as const) await played.do({ do: action, release: true });
        }
        await played.do({ do: 'die' });
        expect((await t.turns.queue(sessionId)).items).toEqual([]);
        expect(await t.turns.running(sessionId)).toBeNull();
        expect(await t.turns.sessionsWithQueue()).not.toContain(sessionId);
      }),
      { numRuns: isDeep ? 300 : 25 },
    );
  });
});
