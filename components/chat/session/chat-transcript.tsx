import { api } from '#components/api/api-client';
import type { MessagePage } from '#components/api/paths';
import type { ChatMessage } from '#components/api/chat-message';
import type { LiveChat } from '#components/chat/session/live-chat';

/** Stored messages that are read at once, after those of the first page. */
const EARLIER = 100;
/** Limit of the server. */
const MOST = 1_000;

async function read(sessionId: string, page: MessagePage): Promise<LoadedMessages> {
  const { items, nextCursor, newestEvent } = await api.readMessages(sessionId, page);
  return { messages: items, cursor: nextCursor, newestEvent };
}

/** `next` with the very objects of `shown` where nothing has changed, so that these are not drawn again. */
function keepUnchanged(shown: readonly ChatMessage[], next: readonly ChatMessage[]): ChatMessage[] {
  const known = new Map(shown.map((message) => [message.id, message]));
  return next.map((message) => {
    const old = known.get(message.id);
    if (!old || old === message) return message;
    return JSON.stringify(old) === JSON.stringify(message) ? old : message;
  });
}

/**
 * The messages of a conversation as they are stored, from the newest back to where they were asked for, and what of
 * them is not on screen yet. After a turn only its end is read again.
 */
export class ChatTranscript {
  readonly #chat: LiveChat;
  /** Messages that the server never accepted: they stay at the end. */
  readonly #isUnsent: (message: ChatMessage) => boolean;
  /** Messages as last read from the server, without later streamed or unsent ones. */
  #loaded: LoadedMessages = NOTHING_LOADED;
  /** Anything that is loaded may have changed. */
  #isStale = false;
  /** The newest event when the newest messages were read last; null before that. */
  #readAfter: number | null = null;
  #heardAfter = 0;
  /** Turns that were told of; each has to be in the transcript when nothing runs any more. */
  readonly #announced = new Set<string>();
  /** Counts what changes the transcript as a whole: a loading that was overtaken is void. */
  #version = 0;
  #newestLoading: Promise<boolean> | null = null;

  constructor(chat: LiveChat, isUnsent: (message: ChatMessage) => boolean) {
    this.#chat = chat;
    this.#isUnsent = isUnsent;
  }

  /** Something stored is not shown yet. */
  get isBehind(): boolean {
    for (const turnId of this.#announced) if (this.#shows(turnId)) this.#announced.delete(turnId);
    return this.#isStale || this.#announced.size > 0;
  }

  /** The newest answer is not complete: it was loaded while its turn ran. */
  get hasOpenAnswer(): boolean {
    return this.#newestTaken?.metadata?.status === 'streaming';
  }

  /** The newest request has no answer (yet). */
  get hasOpenRequest(): boolean {
    return this.#newestTaken?.role === 'user';
  }

  /** True if there are messages before the loaded ones. */
  get hasEarlier(): boolean {
    return this.#loaded.cursor !== null;
  }

  /** A turn was told of, begun or ended. */
  announce(turnId: string): void {
    this.#announced.add(turnId);
  }

  /** Marks everything loaded as outdated, to be read again with the next load. */
  markStale(): void {
    this.#isStale = true;
  }

  /** Events up to this one are not heard: the transcript must have been read after it. */
  hearAfter(eventId: number): void {
    this.#heardAfter = eventId;
    if (this.#readAfter !== null && this.#readAfter < eventId) this.#isStale = true;
  }

  /** Marks a running load as outdated, because something newer is shown. */
  overtake(): void {
    this.#version += 1;
  }

  /**
   * Shows what is stored by now. One that another loading has overtaken ends with that one; resolves to false when what
   * was read does not count, because something was sent meanwhile. @throws ApiError
   */
  async load(): Promise<boolean> {
    const own = this.#load();
    this.#newestLoading = own;
    const isShown = await own;
    return isShown || this.#newestLoading === own ? isShown : this.#newestLoading;
  }

  async #load(): Promise<boolean> {
    this.#version += 1;
    const version = this.#version;
    const announced = [...this.#announced];
    const isStale = this.#isStale;
    const heardAfter = this.#heardAfter;
    this.#isStale = false;
    const newest = await this.#readNewest(isStale).catch((error: unknown) => {
      this.#isStale = true;
      throw error;
    });
    if (this.#version !== version) {
      this.#isStale = true;
      return false;
    }
    for (const turnId of announced) this.#announced.delete(turnId);
    this.#readAfter = newest.newestEvent ?? 0;
    // Told meanwhile; what is read once events are heard lacks nothing that they do not tell.
    if (this.#heardAfter !== heardAfter && this.#readAfter < this.#heardAfter) this.#isStale = true;
    // Earlier ones may have been put before what was known at the start.
    const { messages, cursor } = joinNewest(this.#loaded, newest) ?? newest;
    const shown = this.#chat.messages;
    const stored = keepUnchanged(shown, messages);
    this.#loaded = { messages: stored, cursor };
    const next = [...stored, ...shown.filter(this.#isUnsent)];
    const isSame = next.length === shown.length && next.every((message, at) => message === shown[at]);
    if (!isSame) this.#chat.messages = next;
    return true;
  }

  /** Puts the messages that come before the first one in front of it. @throws ApiError */
  async loadEarlier(limit = EARLIER): Promise<void> {
    const { cursor } = this.#loaded;
    if (cursor === null) return;
    const earlier = await read(this.#chat.id, { cursor, limit });
    // Otherwise it was read anew meanwhile, and may begin elsewhere.
    if (this.#loaded.cursor !== cursor) return;
    this.#loaded = withEarlier(this.#loaded, earlier);
    this.#chat.messages = [...earlier.messages, ...this.#chat.messages];
  }

  /** Puts earlier messages in front until the one at a place is there; undefined: there is none. @throws ApiError */
  async loadBackTo(place: MessagePlace): Promise<ChatMessage | undefined> {
    while (!findPlace(this.#chat.messages, place) && this.hasEarlier) await this.loadEarlier(MOST);
    return findPlace(this.#chat.messages, place);
  }

  /** Back to where it meets what is loaded, or, for all of it, to where that begins. */
  async #readNewest(all: boolean): Promise<LoadedMessages> {
    const first = this.#loaded.messages[0] ?? this.#firstStreamed;
    const isEnough = (page: LoadedMessages) =>
      first && (all || this.#loaded.messages.length === 0)
        ? page.messages.some(({ id }) => id === first.id)
        : joinNewest(this.#loaded, page) !== null;
    let newest = await read(this.#chat.id, NEWEST_PAGE);
    // What is missing is read in as few requests as can be.
    while (newest.cursor !== null && !isEnough(newest)) {
      newest = withEarlier(newest, await read(this.#chat.id, { cursor: newest.cursor, limit: MOST }));
    }
    return newest;
  }

  /** First answer of a conversation started here. Unlike sent messages, answers have their stored ids. */
  get #firstStreamed(): ChatMessage | undefined {
    return this.#chat.messages.find(({ role }) => role === 'assistant');
  }

  get #newestTaken(): ChatMessage | undefined {
    return this.#chat.messages.findLast((message) => !this.#isUnsent(message));
  }

  #shows(turnId: string): boolean {
    const answer = this.#chat.messages.findLast(({ role, metadata }) => role !== 'user' && metadata?.turnId === turnId);
    return answer !== undefined && answer.metadata?.status !== 'streaming';
  }
}

/** First page of a conversation: enough to fill a screen. */
export const NEWEST_PAGE: MessagePage = { cursor: null, limit: 40 };

/** The newest messages of a conversation, without a gap, as far back as they were read. */
export interface LoadedMessages {
  readonly messages: readonly ChatMessage[];
  /** Leads to what comes before them; null: nothing does. */
  readonly cursor: string | null;
  /** The newest event when it was read; a newest page has it. */
  readonly newestEvent?: number | undefined;
}

/** Before the first read, anything may be stored. */
const NOTHING_LOADED: LoadedMessages = { messages: [], cursor: null };

/** `earlier` was read at the cursor of `loaded`. */
function withEarlier(loaded: LoadedMessages, earlier: LoadedMessages): LoadedMessages {
  return { ...loaded, messages: [...earlier.messages, ...loaded.messages], cursor: earlier.cursor };
}

/**
 * Replaces the end of the known messages by the ones read just now. Null if the two do not meet: the messages before
 * `newest` have to be read first.
 */
function joinNewest(known: LoadedMessages, newest: LoadedMessages): LoadedMessages | null {
  const places = new Map(known.messages.map(({ id }, index) => [id, index]));
  const from = newest.messages.findIndex(({ id }) => places.has(id));
  if (from === -1) return known.messages.length === 0 || newest.cursor === null ? newest : null;
  const place = places.get(newest.messages[from]!.id)!;
  if (place > 0) return { messages: [...known.messages.slice(0, place), ...newest.messages], cursor: known.cursor };
  return known.cursor === null ? newest : { messages: newest.messages.slice(from), cursor: known.cursor };
}

/** Place of a message in a transcript, which folds the stored messages of an answer into one. */
export interface MessagePlace {
  readonly messageId: string | null;
  /** Turn whose answer it is part of. */
  readonly turnId: string | null;
}

/**
 * The message of the transcript that shows a stored one: itself, the answer of its turn, or else the last one that was
 * stored before it (ids sort by the time they were made). Undefined: it is not loaded.
 */
export function findPlace(
  messages: readonly ChatMessage[],
  { messageId, turnId }: MessagePlace,
): ChatMessage | undefined {
  const itself = messages.find(({ id }) => id === messageId);
  if (itself) return itself;
  const answer = messages.find(({ role, metadata }) => role === 'assistant' && metadata?.turnId === turnId);
  if (turnId !== null && answer) return answer;
  return messageId === null ? undefined : messages.findLast(({ id }) => id.startsWith('msg_') && id <= messageId);
}
