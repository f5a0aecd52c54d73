import {
  compactionsAmong,
  deniedCalls,
  loadTranscriptPage,
  withOrigins,
  type TranscriptSource,
} from '#server/conversation/events/load-transcript';
import { type ThroughlineUIMessage, toUIMessages } from '#server/conversation/step/ui-messages';
import type { Approval } from '#server/core/conversation/approvals';
import type { CompactionRecord } from '#server/core/conversation/compactions';
import {
  type ContextUsage,
  type SessionEvent,
  type SessionEventData,
  toQueueItem,
} from '#server/core/conversation/events';
import type { Message, UiMessage } from '#server/core/conversation/messages';
import type { Session } from '#server/core/conversation/sessions';
import type { TurnStore } from '#server/core/conversation/turn-store';
import type { Turn } from '#server/core/conversation/turns';
import { withShownEffect } from '#server/tools/shown-effect';

/** The stores that the feed of a session reads. */
interface FeedStores extends TranscriptSource {
  readonly sessions: { find(id: string): Promise<Session | null> };
  readonly messages: TranscriptSource['messages'] & {
    find(id: string): Promise<Message | null>;
    /** The messages of a turn that begins at this `seq`, including summaries up to the next turn, in order. */
    loadTurn(sessionId: string, turnId: string, seq: number): Promise<Message[]>;
    /** Ids of the turns that contain these parts, or the last message before this one; newest first. */
    turnsWith(place: { readonly partIds: readonly string[] } | { readonly before: string }): Promise<string[]>;
    /** The answers without a turn, from imports, that contain these parts; newest first, at most `limit`. */
    loadImportedAnswers(sessionId: string, partIds: readonly string[], limit: number): Promise<Message[][]>;
  };
  readonly compactions: TranscriptSource['compactions'] & {
    list(sessionId: string): Promise<CompactionRecord[]>;
  };
  readonly turns: TranscriptSource['turns'] & Pick<TurnStore, 'find' | 'queue'>;
  readonly events: TranscriptSource['events'] & { newestUsage(sessionId: string): Promise<ContextUsage | null> };
}

/**
 * Stored messages in a snapshot: enough to fill a screen. Clients read earlier ones page by page. A choice, not
 * measured.
 */
const SNAPSHOT_MESSAGES = 40;
/**
 * Maximum number of answers of turns, and of imported answers, that an event carries: the newest ones. A choice, not
 * measured.
 */
const MAX_ANSWERS = 20;

/** Messages in the type of the events' schema, which describes the parts of the AI SDK as plain JSON. */
const asSent = (messages: readonly ThroughlineUIMessage[]) => messages as unknown as UiMessage[];

/**
 * Reads what the events of a session carry: whole messages and approvals as they are when the event is sent. Events are
 * stored without them, so that no message is stored twice.
 */
export class FeedSource {
  readonly #stores: FeedStores;

  constructor(stores: FeedStores) {
    this.#stores = stores;
  }

  /** The state of a conversation; its messages are the newest page. */
  async snapshot(sessionId: string): Promise<SessionEventData['snapshot']> {
    const { turns, events, sessions } = this.#stores;
    const page = await loadTranscriptPage(this.#stores, sessionId, { limit: SNAPSHOT_MESSAGES });
    const [session, queue, approvals, context] = await Promise.all([
      sessions.find(sessionId),
      turns.queue(sessionId),
      this.#pending(sessionId),
      events.newestUsage(sessionId),
    ]);
    const turnId = page.items.at(-1)?.metadata?.turnId;
    const turn = (await turns.running(sessionId)) ?? (turnId === undefined ? null : await turns.find(turnId));
    return {
      messages: asSent(page.items),
      nextCursor: page.nextCursor,
      turn: turn && {
        id: turn.id,
        messageId: turn.userMessageId,
        status: turn.status,
        error: turn.error,
        errorMessage: turn.errorMessage,
      },
      queue: { items: queue.items.map(toQueueItem), held: queue.held },
      approvals,
      compactingSince: session?.currentlyCompacting ? session.compactingSince : null,
      context,
    };
  }

  /** The event with what it carries. */
  async complete(event: SessionEvent): Promise<SessionEvent> {
    const { sessionId } = event;
    switch (event.name) {
      case 'snapshot':
        return { ...event, data: await this.snapshot(sessionId) };
      case 'turn:start': {
        const [request] = await this.#turnMessages(sessionId, event.data.turnId, 'user');
        const replaced =
          request?.metadata?.['earlierVersion'] === true && (await this.#replacedBy(sessionId, request.id));
        const approvals = await this.#pending(sessionId);
        const messages = request ? [...(await this.#declinedBy(sessionId, request.id)), request] : [];
        return { ...event, data: { ...event.data, ...(replaced && { replaces: replaced }), messages, approvals } };
      }
      case 'turn:end': {
        const messages = await this.#turnMessages(sessionId, event.data.turnId, 'assistant');
        return { ...event, data: { ...event.data, messages, approvals: await this.#pending(sessionId) } };
      }
      case 'approvals:changed':
        return { ...event, data: { ...event.data, messages: await this.#newest(sessionId) } };
      case 'compaction:start':
        return { ...event, data: { ...event.data, since: event.createdAt } };
      case 'compaction:complete':
      case 'compaction:undone':
      case 'prune:complete': {
        const messages = await this.#answersOf(sessionId, event.data.compactionId);
        // The compiler does not relate the name of a spread event to its data.
        return { ...event, data: { ...event.data, messages } } as SessionEvent;
      }
      default:
        return event;
    }
  }

  async #pending(sessionId: string): Promise<Approval[]> {
    return (await this.#stores.turns.pendingApprovals(sessionId)).map(withShownEffect);
  }

  /** The request of a turn, or its answer; empty if it has none, or was replaced. */
  async #turnMessages(sessionId: string, turnId: string, role: 'user' | 'assistant'): Promise<UiMessage[]> {
    const turn = await this.#stores.turns.find(turnId);
    return turn ? this.#messagesOf(sessionId, turn, role) : [];
  }

  async #messagesOf(sessionId: string, turn: Turn, role: 'user' | 'assistant'): Promise<UiMessage[]> {
    const { messages, turns } = this.#stores;
    const request = await messages.find(turn.userMessageId);
    if (!request || request.supersededBy !== null) return [];
    const stored = role === 'user' ? [request] : await messages.loadTurn(sessionId, turn.id, request.seq);
    const waiting = turn.status === 'waiting_approval' ? await turns.approvals(turn.id) : [];
    const shown = (await this.#show(sessionId, stored, waiting)).filter((message) => message.role === role);
    return asSent(await withOrigins(this.#stores, sessionId, shown));
  }

  /** Stored messages as the chat shows them. @param waiting approvals of the turn that waits for the user */
  async #show(
    sessionId: string,
    stored: readonly Message[],
    waiting: readonly Approval[] = [],
  ): Promise<ThroughlineUIMessage[]> {
    const { compactions, turns } = this.#stores;
    const records = await compactionsAmong(compactions, sessionId, stored);
    return toUIMessages(stored, records, [...waiting, ...(await turns.approvalsOf(deniedCalls(stored)))]);
  }

  /** The answer before a request, if the request has declined calls of it. */
  async #declinedBy(sessionId: string, requestId: string): Promise<UiMessage[]> {
    const { messages, turns } = this.#stores;
    const [turnId] = await messages.turnsWith({ before: requestId });
    const turn = turnId === undefined ? null : await turns.find(turnId);
    if (!turn || (await turns.approvals(turn.id)).length === 0) return [];
    return this.#messagesOf(sessionId, turn, 'assistant');
  }

  /** The newest message of the transcript; empty if there is none. */
  async #newest(sessionId: string): Promise<UiMessage[]> {
    return asSent((await loadTranscriptPage(this.#stores, sessionId, { limit: 1 })).items.slice(-1));
  }

  /** The request in whose place this one was sent. */
  async #replacedBy(sessionId: string, messageId: string): Promise<string | undefined> {
    const earlier = await this.#stores.messages.earlierVersion(sessionId, messageId);
    return earlier.find(({ role }) => role === 'user')?.id;
  }

  /** The answers that show a compaction, or whose results a prune has cleared. The running answer is not carried. */
  async #answersOf(sessionId: string, compactionId: string | null): Promise<UiMessage[]> {
    const { compactions, messages } = this.#stores;
    const record = (await compactions.list(sessionId)).find(({ id }) => id === compactionId);
    if (!record) return [];
    const { summaryMessageId, prunedPartIds } = record;
    if (summaryMessageId === null) {
      const imported = await messages.loadImportedAnswers(sessionId, prunedPartIds, MAX_ANSWERS);
      const shown = await Promise.all(imported.toReversed().map((stored) => this.#show(sessionId, stored)));
      const turnIds = await messages.turnsWith({ partIds: prunedPartIds });
      return [...asSent(shown.flat()), ...(await this.#answersOfTurns(sessionId, turnIds))];
    }
    const turnIds = await messages.turnsWith({ before: summaryMessageId });
    // After an import the compaction belongs to a message without a turn, which is the newest one.
    return turnIds.length === 0 ? this.#newest(sessionId) : this.#answersOfTurns(sessionId, turnIds);
  }

  /** The answers of the newest of these turns, oldest first; without the running one. */
  async #answersOfTurns(sessionId: string, turnIds: readonly string[]): Promise<UiMessage[]> {
    const { turns } = this.#stores;
    const answers = await Promise.all(
      turnIds.slice(0, MAX_ANSWERS).map(async (turnId) => {
        const turn = await turns.find(turnId);
        return turn && turn.status !== 'running' ? this.#messagesOf(sessionId, turn, 'assistant') : [];
      }),
    );
    return answers.toReversed().flat();
  }
}
