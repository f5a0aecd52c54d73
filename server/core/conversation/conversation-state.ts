import type { Approval } from '#server/core/conversation/approvals';
import type {
  ContextUsage,
  QueueData,
  SessionEventData,
  SessionEventName,
  TurnState,
} from '#server/core/conversation/events';
import type { UiMessage } from '#server/core/conversation/messages';

/** What happens in a conversation, apart from its messages. */
export interface ConversationStatus {
  /** Cursor of the messages before the first one; null: there are none. */
  readonly nextCursor: string | null;
  /** The newest turn that is known; null: none. */
  readonly turn: TurnState | null;
  readonly queue: QueueData;
  /** Calls that wait for a decision. */
  readonly approvals: readonly Approval[];
  /** Epoch milliseconds; null: no compaction runs. */
  readonly compactingSince: number | null;
  /** The context of the newest step; null before the first one. */
  readonly context: ContextUsage | null;
}

/** A conversation as its clients show it. Computed from the events of its feed by `foldEvent`. */
export interface ConversationState extends ConversationStatus {
  /** In order, from the first loaded one on. */
  readonly messages: readonly UiMessage[];
}

/** An event of the feed of a session. */
export type FeedEvent = {
  [Name in SessionEventName]: { readonly name: Name; readonly data: SessionEventData[Name] };
}[SessionEventName];

/** A conversation without messages, in which nothing happens. */
export const EMPTY_CONVERSATION: ConversationState = {
  messages: [],
  nextCursor: null,
  turn: null,
  queue: { items: [], held: false },
  approvals: [],
  compactingSince: null,
  context: null,
};

/**
 * Computes the state after an event (a reducer). Every event contains whole values with their ids, so an event that is
 * applied twice changes nothing more, and a snapshot results in the same state as the events before it.
 */
export function foldEvent(state: ConversationState, event: FeedEvent): ConversationState {
  switch (event.name) {
    case 'snapshot':
      return event.data;
    case 'turn:start': {
      const { turnId: id, messageId, replaces, messages = [], approvals = state.approvals } = event.data;
      const turn = { id, messageId, status: 'running', error: null, errorMessage: null } as const;
      const kept = replaces === undefined ? state.messages : before(state.messages, replaces);
      return { ...state, turn, approvals, messages: upsert({ ...state, messages: kept }, messages) };
    }
    case 'turn:end': {
      const { turnId: id, status, error, errorMessage, messages = [], approvals = state.approvals } = event.data;
      const next = { ...state, approvals, messages: upsert(state, messages) };
      // The end of a turn can be reported after the start of the next one.
      return state.turn?.id === id
        ? { ...next, turn: { ...state.turn, status, error, ...(errorMessage && { errorMessage }) } }
        : next;
    }
    case 'approvals:changed': {
      const { approvals, messages = [] } = event.data;
      return { ...state, approvals, messages: upsert(state, messages) };
    }
    case 'message:dequeued': {
      const taken = new Set(event.data.ids);
      const items = state.queue.items.filter(({ id }) => !taken.has(id));
      return { ...state, queue: { ...state.queue, items } };
    }
    case 'queue:changed':
      return { ...state, queue: event.data };
    case 'compaction:start':
      return { ...state, compactingSince: event.data.since ?? state.compactingSince };
    case 'compaction:failed':
      return { ...state, compactingSince: null };
    case 'compaction:complete':
    case 'compaction:undone':
    case 'prune:complete': {
      const messages = upsert(state, event.data.messages ?? []);
      return event.name === 'compaction:complete'
        ? { ...state, messages, compactingSince: null }
        : { ...state, messages };
    }
    case 'context:usage':
      return { ...state, context: event.data };
    case 'message:queued':
    case 'wishes:changed':
      return state;
  }
}

/** Computes the state after several events, in order. */
export function foldEvents(events: Iterable<FeedEvent>, state = EMPTY_CONVERSATION): ConversationState {
  for (const event of events) state = foldEvent(state, event);
  return state;
}

/** The messages before the one with this id; all if there is none. */
function before(messages: readonly UiMessage[], id: string): readonly UiMessage[] {
  const index = messages.findIndex((message) => message.id === id);
  return index === -1 ? messages : messages.slice(0, index);
}

/** Replaces messages by their ids, and inserts new ones. Skips those of earlier pages that are not loaded. */
function upsert(
  { messages, nextCursor }: Pick<ConversationState, 'messages' | 'nextCursor'>,
  changed: readonly UiMessage[],
): readonly UiMessage[] {
  if (changed.length === 0) return messages;
  const next = [...messages];
  for (const message of changed) {
    const index = next.findIndex(({ id }) => id === message.id);
    const place = indexFor(next, message);
    if (index !== -1) next[index] = message;
    else if (place > 0 || next.length === 0 || nextCursor === null) next.splice(place, 0, message);
  }
  return next;
}

/** Ids whose order is that of their creation; temporary ids of the browser are different. */
const SORTABLE_ID = /^msg_[0-9a-z]{26}$/;

/**
 * Index at which a new message is inserted: last, but before messages that were created after it (ids sort by time). The
 * end of a turn, with its answer, can be reported after the start of the next one.
 */
function indexFor(messages: readonly UiMessage[], { id }: UiMessage): number {
  let index = messages.length;
  if (!SORTABLE_ID.test(id)) return index;
  while (index > 0 && SORTABLE_ID.test(messages[index - 1]!.id) && messages[index - 1]!.id > id) index -= 1;
  return index;
}
