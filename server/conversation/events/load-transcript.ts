import type { PendingCall } from '#server/conversation/step/run-tool-call';
import { type ThroughlineUIMessage, toUIMessages } from '#server/conversation/step/ui-messages';
import type { CompactionRecord } from '#server/core/conversation/compactions';
import type { Approval } from '#server/core/conversation/approvals';
import { type Message, pairToolResults } from '#server/core/conversation/messages';
import type { Turn } from '#server/core/conversation/turns';
import type { TurnStore } from '#server/core/conversation/turn-store';

/** Selects a part of a conversation: see `listTurns` of the message repository. */
export interface TranscriptQuery {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

/** A part of a conversation as the chat shows it, in order. */
export interface TranscriptPage {
  readonly items: ThroughlineUIMessage[];
  /** Cursor of the preceding part; null: this is the first. */
  readonly nextCursor: string | null;
  /** Id of the newest event when the newest page was read; later changes arrive as events with higher ids. */
  readonly newestEvent?: number;
}

/** Finds compactions by their summary messages. */
export interface SummarizedBy {
  ofSummaries(sessionId: string, summaryMessageIds: readonly string[]): Promise<CompactionRecord[]>;
}

/** The compactions whose summaries are among these messages of a session. */
export function compactionsAmong(
  compactions: SummarizedBy,
  sessionId: string,
  messages: readonly Message[],
): Promise<CompactionRecord[]> {
  const summaries = messages.filter(({ isSummary }) => isSummary);
  return compactions.ofSummaries(
    sessionId,
    summaries.map(({ id }) => id),
  );
}

/** The stores that a transcript is read from. */
export interface TranscriptSource {
  readonly messages: {
    list(
      sessionId: string,
      query: { cursor?: string | undefined; limit: number; summaries: true },
    ): Promise<{ items: Message[]; nextCursor: string | null }>;
    listTurns(sessionId: string, query: TranscriptQuery): Promise<{ items: Message[]; nextCursor: string | null }>;
    earlierVersion(sessionId: string, messageId: string): Promise<Message[]>;
    replacements(messageIds: readonly string[]): Promise<ReadonlySet<string>>;
    /** Ids that clients gave their requests, by the id of the message or of its entry in the queue. */
    clientRequestIds(sessionId: string, acceptedAs: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  };
  readonly compactions: SummarizedBy;
  readonly turns: TurnStore;
  readonly events: { newestId(sessionId: string): Promise<number> };
}

/** Messages per read. A choice, not measured. */
const PAGE = 1_000;

/** The whole conversation as the chat shows it, with its compactions and without superseded messages. */
export async function loadTranscript(source: TranscriptSource, sessionId: string): Promise<ThroughlineUIMessage[]> {
  const messages: Message[] = [];
  let cursor: string | undefined;
  do {
    const page = await source.messages.list(sessionId, { cursor, limit: PAGE, summaries: true });
    messages.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return show(source, sessionId, messages);
}

/** The newest turns of the conversation, or those before `cursor`, as `loadTranscript` shows them. */
export async function loadTranscriptPage(
  source: TranscriptSource,
  sessionId: string,
  query: TranscriptQuery,
): Promise<TranscriptPage> {
  if (query.cursor !== undefined) {
    const { items, nextCursor } = await source.messages.listTurns(sessionId, query);
    return { items: await show(source, sessionId, items), nextCursor };
  }
  // Read first: if a turn ends during the reading, its event makes the reader load again. In the other order a turn
  // could seem finished and its end be missed.
  const newestEvent = await source.events.newestId(sessionId);
  const running = await source.turns.running(sessionId);
  const { items, nextCursor } = await source.messages.listTurns(sessionId, query);
  return { items: asRunning(await show(source, sessionId, items), running?.id), nextCursor, newestEvent };
}

/**
 * Marks the running turn's answer as streaming: between two steps all stored parts are complete, but the answer is not.
 */
function asRunning(messages: ThroughlineUIMessage[], turnId: string | undefined): ThroughlineUIMessage[] {
  const last = messages.at(-1);
  const isOfIt = turnId !== undefined && last?.role === 'assistant' && last.metadata?.turnId === turnId;
  if (!isOfIt || last.metadata === undefined) return messages;
  return [...messages.slice(0, -1), { ...last, metadata: { ...last.metadata, status: 'streaming' } }];
}

async function show(source: TranscriptSource, sessionId: string, messages: readonly Message[]) {
  const compactions = await compactionsAmong(source.compactions, sessionId, messages);
  const approvals = [
    ...(await waitingApprovals(source, sessionId)),
    ...(await source.turns.approvalsOf(deniedCalls(messages))),
  ];
  return withOrigins(source, sessionId, toUIMessages(messages, compactions, approvals));
}

/** Part ids of the calls that were denied. */
export function deniedCalls(messages: readonly Message[]): string[] {
  return [...pairToolResults(messages)].flatMap(([partId, { content }]) =>
    content.output.type === 'execution-denied' ? [partId] : [],
  );
}

/** Approvals of the turn that waits for the user, including decided ones while others still wait. */
async function waitingApprovals({ turns }: TranscriptSource, sessionId: string): Promise<Approval[]> {
  const [pending] = await turns.pendingApprovals(sessionId);
  return pending ? turns.approvals(pending.turnId) : [];
}

/**
 * Loads the messages that were superseded when this message was sent, as the chat shows them; empty if there were none.
 */
export async function loadEarlierVersion(
  { messages, turns }: TranscriptSource,
  sessionId: string,
  messageId: string,
): Promise<ThroughlineUIMessage[]> {
  const earlier = await messages.earlierVersion(sessionId, messageId);
  const shown = toUIMessages(earlier, [], await turns.approvalsOf(deniedCalls(earlier)));
  return withOrigins({ messages }, sessionId, shown);
}

/** The messages with what is known of their origin: whether they replaced others, and the ids of their clients. */
export async function withOrigins(
  source: { readonly messages: TranscriptSource['messages'] },
  sessionId: string,
  messages: readonly ThroughlineUIMessage[],
): Promise<ThroughlineUIMessage[]> {
  const requests = messages.filter(({ role }) => role === 'user');
  if (requests.length === 0) return [...messages];
  const idsOf = ({ id, metadata }: ThroughlineUIMessage) => [id, ...(metadata?.originalMessages ?? [])];
  const [replacements, clientIds] = await Promise.all([
    source.messages.replacements(requests.map(({ id }) => id)),
    source.messages.clientRequestIds(sessionId, requests.flatMap(idsOf)),
  ]);
  return messages.map((message) => {
    const clientRequestIds = idsOf(message).flatMap((id) => clientIds.get(id) ?? []);
    if (!message.metadata || (!replacements.has(message.id) && clientRequestIds.length === 0)) return message;
    const metadata = {
      ...message.metadata,
      ...(replacements.has(message.id) && { earlierVersion: true }),
      ...(clientRequestIds.length > 0 && { clientRequestIds }),
    };
    return { ...message, metadata };
  });
}

/** The stores that a turn is read from. */
export interface TurnSource {
  readonly messages: {
    find(id: string): Promise<Message | null>;
    /** Messages from that `seq` on, including summaries, in order. */
    loadFrom(sessionId: string, seq: number): Promise<Message[]>;
  };
  readonly compactions: SummarizedBy;
  readonly turns: TurnStore;
}

/** A stored turn: its messages from the request on, including the summaries of its compactions, and the decisions. */
export interface ResumedTurn {
  readonly messages: readonly Message[];
  readonly compactions: readonly CompactionRecord[];
  readonly approvals: readonly Approval[];
}

/** Loads all stored data of the session's newest turn. */
export async function loadTurn({ messages, compactions, turns }: TurnSource, turn: Turn): Promise<ResumedTurn> {
  const request = await messages.find(turn.userMessageId);
  const stored = await messages.loadFrom(turn.sessionId, request?.seq ?? 0);
  const ofTurn = stored.filter(({ turnId, isSummary }) => turnId === turn.id || isSummary);
  return {
    messages: ofTurn,
    compactions: await compactionsAmong(compactions, turn.sessionId, ofTurn),
    approvals: await turns.approvals(turn.id),
  };
}

/** The calls of a stored turn that waited and were decided, and the tool message of their step, if it has one. */
export function openStep({ messages, approvals }: ResumedTurn): {
  readonly calls: readonly PendingCall[];
  readonly results: Message | undefined;
} {
  const answered = pairToolResults(messages);
  const calls = approvals
    .filter(({ partId, status }) => status !== 'pending' && !answered.has(partId))
    .map(({ partId, toolCallId, toolName, input, status, reason, effect }) => ({
      partId,
      toolCallId,
      toolName,
      input,
      decision: { approved: status === 'approved', reason, effect },
    }));
  const last = messages.at(-1);
  return { calls, results: last?.role === 'tool' ? last : undefined };
}
