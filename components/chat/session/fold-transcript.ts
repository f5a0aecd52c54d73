import { type ChatMessage, isStored } from '#components/api/chat-message.ts';
import { type ConversationStatus, type FeedEvent, foldEvent } from '#server/core/conversation/conversation-state';
import type { UiMessage } from '#server/core/conversation/messages';

/** What the feed of a conversation reports, with the messages of the transcript. */
export interface TranscriptState extends ConversationStatus {
  readonly messages: readonly ChatMessage[];
}

/** Messages in the type of the feed, which describes the parts of the AI SDK as plain JSON. */
const asFed = (messages: readonly ChatMessage[]) => messages as unknown as readonly UiMessage[];
const asShown = (messages: readonly UiMessage[]) => messages as unknown as readonly ChatMessage[];

/**
 * The state of a conversation in this browser after an event of its feed. A message that was sent from here takes the
 * id under which it is stored. Messages that did not change stay the same objects, so that they are not redrawn.
 * @param liveId the message that the chunk stream of this tab writes; the feed does not change it
 */
export function foldTranscript(state: TranscriptState, event: FeedEvent, liveId: string | null): TranscriptState {
  const carried = 'messages' in event.data ? asShown(event.data.messages ?? []) : [];
  const known = withStoredIds(state.messages, carried);
  const folded = foldEvent({ ...state, messages: asFed(known) }, event);
  const messages = asShown(folded.messages);
  if (event.name !== 'snapshot') return { ...folded, messages: keepUnchanged(state.messages, messages, liveId) };
  const place = known.findIndex(({ id }) => id === messages[0]?.id);
  return {
    ...folded,
    // The messages before the snapshot were loaded on request and stay.
    nextCursor: place > 0 ? state.nextCursor : folded.nextCursor,
    messages: keepUnchanged(state.messages, joinNewest(known, messages, place, liveId), liveId),
  };
}

/** Replaces messages that were sent from here by the stored ones. */
function withStoredIds(shown: readonly ChatMessage[], carried: readonly ChatMessage[]): readonly ChatMessage[] {
  const stored = new Map(carried.flatMap((message) => keysOf(message).map((key) => [key, message] as const)));
  if (!shown.some(({ id }) => stored.has(id))) return shown;
  const ids = new Set(shown.map(({ id }) => id));
  return shown.flatMap((message) => {
    const own = stored.get(message.id);
    if (!own) return [message];
    // Several messages that were sent from here can be stored as one.
    if (ids.has(own.id)) return [];
    ids.add(own.id);
    return [own];
  });
}

function keysOf({ metadata }: ChatMessage): readonly string[] {
  return metadata?.clientRequestIds ?? [];
}

/**
 * The newest page, behind the earlier messages that are already loaded if it overlaps with them, and before what is not
 * stored yet.
 * @param place of the first message of the page among the known ones; -1: it is not known
 */
function joinNewest(
  known: readonly ChatMessage[],
  newest: readonly ChatMessage[],
  place: number,
  liveId: string | null,
): readonly ChatMessage[] {
  const ids = new Set(newest.map(({ id }) => id));
  const isAhead = (message: ChatMessage) => !ids.has(message.id) && (!isStored(message) || message.id === liveId);
  return [...known.slice(0, Math.max(0, place)), ...newest, ...known.slice(place + 1).filter(isAhead)];
}

/** The next messages; those that did not change, and the running answer, stay the same objects. */
function keepUnchanged(
  shown: readonly ChatMessage[],
  next: readonly ChatMessage[],
  liveId: string | null,
): readonly ChatMessage[] {
  const known = new Map(shown.map((message) => [message.id, message]));
  return next.map((message) => {
    const old = known.get(message.id);
    if (!old || old === message) return message;
    return old.id === liveId || JSON.stringify(old) === JSON.stringify(message) ? old : message;
  });
}

/** Position of a stored message in a transcript, which joins the stored messages of an answer into one. */
export interface MessagePlace {
  readonly messageId: string | null;
  /** Turn of the answer that it belongs to. */
  readonly turnId: string | null;
}

/**
 * The message of the transcript that shows a stored one: itself, the answer of its turn, or else the last one stored
 * before it (ids sort by creation time). Undefined if it is not loaded.
 */
export function findPlace(
  messages: readonly ChatMessage[],
  { messageId, turnId }: MessagePlace,
): ChatMessage | undefined {
  const itself = messages.find(({ id }) => id === messageId);
  if (itself) return itself;
  const answer = messages.find(({ role, metadata }) => role === 'assistant' && metadata?.turnId === turnId);
  if (turnId !== null && answer) return answer;
  return messageId === null ? undefined : messages.findLast((message) => isStored(message) && message.id <= messageId);
}
