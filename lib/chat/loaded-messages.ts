import type { MessagePage } from '#lib/api/api-client';
import type { ChatMessage } from '#lib/chat/chat-message';

/** What a conversation opens with: enough to fill a screen. */
export const NEWEST_PAGE: MessagePage = { cursor: null, limit: 40 };

/** The newest messages of a conversation, without a gap, as far back as they were read. */
export interface LoadedMessages {
  readonly messages: readonly ChatMessage[];
  /** Leads to what comes before them; null: nothing does. */
  readonly cursor: string | null;
}

/** With nothing read yet, there may be anything. */
export const NOTHING_LOADED: LoadedMessages = { messages: [], cursor: null };

/** `earlier` was read at the cursor of `loaded`. */
export function withEarlier(loaded: LoadedMessages, earlier: LoadedMessages): LoadedMessages {
  return { messages: [...earlier.messages, ...loaded.messages], cursor: earlier.cursor };
}

/**
 * What is known with its end replaced by what was read just now; it begins where it did. Null where the two do not
 * meet: what comes before `newest` has to be read first.
 */
export function joinNewest(known: LoadedMessages, newest: LoadedMessages): LoadedMessages | null {
  const places = new Map(known.messages.map(({ id }, index) => [id, index]));
  const from = newest.messages.findIndex(({ id }) => places.has(id));
  if (from === -1) return known.messages.length === 0 || newest.cursor === null ? newest : null;
  const place = places.get(newest.messages[from]!.id)!;
  if (place > 0) return { messages: [...known.messages.slice(0, place), ...newest.messages], cursor: known.cursor };
  return known.cursor === null ? newest : { messages: newest.messages.slice(from), cursor: known.cursor };
}
