import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ConversationState,
  EMPTY_CONVERSATION,
  type FeedEvent,
  foldEvent,
  foldEvents,
} from '#server/core/conversation/conversation-state';
import type { UiMessage } from '#server/core/conversation/messages';

const idOf = (prefix: string, count: number) => `${prefix}_${String(count).padStart(26, '0')}`;
const message = (count: number, role: 'user' | 'assistant', text: string): UiMessage => ({
  id: idOf('msg', count),
  role,
  parts: [{ type: 'text', text }],
});

type Act = 'turn' | 'queue' | 'compact' | 'replace' | 'import' | 'other';

/** Performs actions: keeps its true state, and the events that it sends. */
class Conversation {
  state: ConversationState = EMPTY_CONVERSATION;
  readonly events: FeedEvent[] = [];
  #count = 0;

  do(act: Act, late: boolean): void {
    if (act === 'turn') this.#turn(late);
    if (act === 'queue') this.#queue();
    if (act === 'compact') this.#compact();
    if (act === 'replace') this.#replace();
    if (act === 'import') this.#import();
    if (act === 'other') this.events.push({ name: 'wishes:changed', data: { kept: 1 } });
  }

  /** @param late its end is reported after the start of the next turn */
  #turn(late: boolean): void {
    const first = this.#begin();
    const answer = this.#answer();
    const second = late ? this.#begin() : null;
    this.#end(first, answer);
    if (second !== null) this.#end(second, this.#answer());
  }

  #begin(replaces?: string): string {
    const request = message((this.#count += 1), 'user', 'Go');
    const ids = { id: idOf('trn', this.#count), messageId: request.id };
    const turn = { ...ids, status: 'running', error: null, errorMessage: null } as const;
    const kept = this.state.messages.findIndex(({ id }) => id === replaces);
    const before = kept === -1 ? this.state.messages : this.state.messages.slice(0, kept);
    this.state = { ...this.state, turn, messages: [...before, request], approvals: [] };
    const changed = { messages: [request], approvals: [], ...(replaces !== undefined && { replaces }) };
    this.events.push({ name: 'turn:start', data: { turnId: turn.id, messageId: request.id, ...changed } });
    return turn.id;
  }

  /** The answer to the newest request. */
  #answer(): UiMessage {
    const answer = message((this.#count += 1), 'assistant', `Answer ${this.#count}`);
    this.state = { ...this.state, messages: [...this.state.messages, answer] };
    return answer;
  }

  #end(turnId: string, answer: UiMessage): void {
    const status = 'completed';
    if (this.state.turn?.id === turnId)
      this.state = { ...this.state, turn: { ...this.state.turn, status, error: null } };
    this.events.push({ name: 'turn:end', data: { turnId, status, error: null, messages: [answer], approvals: [] } });
  }

  #queue(): void {
    const id = idOf('que', (this.#count += 1));
    const queue = { items: [...this.state.queue.items, { id, text: 'Later', files: [], createdAt: 1 }], held: false };
    this.state = { ...this.state, queue };
    this.events.push({ name: 'message:queued', data: { id, position: queue.items.length } });
    this.events.push({ name: 'queue:changed', data: queue });
    if (queue.items.length < 3) return;
    const ids = queue.items.map((item) => item.id);
    this.state = { ...this.state, queue: { items: [], held: false } };
    this.events.push({ name: 'message:dequeued', data: { count: ids.length, ids, coalesced: true } });
  }

  #compact(): void {
    const numbers = { tokensBefore: 9, tokensAfter: 1, messagesCompacted: 2, round: 1, durationMs: 1 };
    const data = {
      ...numbers,
      wasPruned: false,
      wasSummarized: true,
      compactionId: idOf('cmp', 1),
      strategy: 'ledger',
    };
    this.events.push({
      name: 'compaction:start',
      data: { tokensBefore: 9, modelLimit: 9, reason: 'manual', since: 7 },
    });
    const last = this.state.messages.at(-1);
    const shown = last && { ...last, parts: [...last.parts, { type: 'data-compaction' }] };
    if (shown) this.state = { ...this.state, messages: [...this.state.messages.slice(0, -1), shown] };
    this.events.push({ name: 'compaction:complete', data: { ...data, messages: shown ? [shown] : [] } });
  }

  #replace(): void {
    const replaced = this.state.messages.findLast(({ role }) => role === 'user');
    if (replaced) this.#end(this.#begin(replaced.id), this.#answer());
  }

  #import(): void {
    const imported = [message((this.#count += 1), 'user', 'Old'), message((this.#count += 1), 'assistant', 'Older')];
    this.state = { ...this.state, messages: [...this.state.messages, ...imported] };
    this.events.push({ name: 'snapshot', data: this.state });
  }
}

const acts = fc.array(
  fc.tuple(fc.constantFrom<Act>('turn', 'queue', 'compact', 'replace', 'import', 'other'), fc.boolean()),
  { maxLength: 20 },
);

function play(script: readonly (readonly [Act, boolean])[]): Conversation {
  const conversation = new Conversation();
  for (const [act, late] of script) conversation.do(act, late);
  return conversation;
}

describe('the fold of a conversation', () => {
  it('is the state of the conversation after any events', () => {
    fc.assert(
      fc.property(acts, (script) => {
        const { events, state } = play(script);
        expect(foldEvents(events)).toEqual(state);
      }),
    );
  });

  it('is the same from a snapshot at any place as from all events', () => {
    fc.assert(
      fc.property(acts, acts, (before, after) => {
        const conversation = play(before);
        const from = conversation.events.length;
        const snapshot: FeedEvent = { name: 'snapshot', data: conversation.state };
        for (const [act, late] of after) conversation.do(act, late);
        const { events } = conversation;
        expect(foldEvents([snapshot, ...events.slice(from)])).toEqual(foldEvents(events));
      }),
    );
  });

  it('changes nothing when an event comes twice', () => {
    fc.assert(
      fc.property(acts, (script) => {
        let state = EMPTY_CONVERSATION;
        for (const event of play(script).events) {
          state = foldEvent(state, event);
          expect(foldEvent(state, event)).toEqual(state);
        }
      }),
    );
  });

  it('inserts no message of an earlier page that is not loaded', () => {
    const shown = [message(5, 'user', 'Go'), message(6, 'assistant', 'Done')];
    const state = { ...EMPTY_CONVERSATION, messages: shown, nextCursor: 'earlier' };
    const cleared = [message(2, 'assistant', 'Cleared'), message(6, 'assistant', 'Cleared, too')];
    const data = { outputsPruned: 2, tokensSaved: 9, prunedTools: [], compactionId: idOf('cmp', 1), messages: cleared };
    expect(foldEvent(state, { name: 'prune:complete', data }).messages).toEqual([shown[0], cleared[1]]);
  });
});
