import type { PendingCall } from '#server/agent/run-tool-call';
import { type ThroughlineUIMessage, toUIMessages } from '#server/agent/ui-messages';
import { pairToolResults } from '#server/context/view-messages';
import type { CompactionRecord } from '#server/core/compactions';
import type { Approval } from '#server/core/approvals';
import type { Message } from '#server/core/messages';
import type { Turn } from '#server/core/turns';
import type { TurnStore } from '#server/core/turn-store';

/** Selects a part of a conversation: see `listTurns` of the message repository. */
export interface TranscriptQuery {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

/** A part of a conversation as the chat shows it, in order. */
export interface TranscriptPage {
  readonly items: ThroughlineUIMessage[];
  /** Leads to what comes before it; null: nothing does. */
  readonly nextCursor: string | null;
  /** Id of the newest event when the newest page was read; everything later is told by events after it. */
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
  };
  readonly compactions: SummarizedBy;
  readonly turns: Pick<TurnStore, 'approvals' | 'pendingApprovals' | 'running'>;
  readonly events: { newestId(sessionId: string): Promise<number> };
}

const PAGE = 1_000;

/** The whole conversation as the chat shows it, compactions in their places, without what is superseded. */
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

/** The newest turns of the conversation, or those in front of `cursor`, as `loadTranscript` shows them. */
export async function loadTranscriptPage(
  source: TranscriptSource,
  sessionId: string,
  query: TranscriptQuery,
): Promise<TranscriptPage> {
  if (query.cursor !== undefined) {
    const { items, nextCursor } = await source.messages.listTurns(sessionId, query);
    return { items: await show(source, sessionId, items), nextCursor };
  }
  // Asked first: of a turn that ends meanwhile the reader then looks again, of one that seemed over never.
  const newestEvent = await source.events.newestId(sessionId);
  const running = await source.turns.running(sessionId);
  const { items, nextCursor } = await source.messages.listTurns(sessionId, query);
  return { items: asRunning(await show(source, sessionId, items), running?.id), nextCursor, newestEvent };
}

/** Marks the running turn's answer as streaming: between two steps all that is stored of it is complete, but it is not. */
function asRunning(messages: ThroughlineUIMessage[], turnId: string | undefined): ThroughlineUIMessage[] {
  const last = messages.at(-1);
  const isOfIt = turnId !== undefined && last?.role === 'assistant' && last.metadata?.turnId === turnId;
  if (!isOfIt || last.metadata === undefined) return messages;
  return [...messages.slice(0, -1), { ...last, metadata: { ...last.metadata, status: 'streaming' } }];
}

async function show(source: TranscriptSource, sessionId: string, messages: readonly Message[]) {
  const compactions = await compactionsAmong(source.compactions, sessionId, messages);
  const shown = toUIMessages(messages, compactions, await waitingApprovals(source, sessionId));
  return withVersions(source, shown);
}

/** Approvals of the turn that waits for the user, decided ones included while others still wait. */
async function waitingApprovals({ turns }: TranscriptSource, sessionId: string): Promise<Approval[]> {
  const [pending] = await turns.pendingApprovals(sessionId);
  return pending ? turns.approvals(pending.turnId) : [];
}

/** Loads the messages that were superseded when this message was sent, as the chat shows them; empty when none were. */
export async function loadEarlierVersion(
  { messages }: Pick<TranscriptSource, 'messages'>,
  sessionId: string,
  messageId: string,
): Promise<ThroughlineUIMessage[]> {
  const shown = toUIMessages(await messages.earlierVersion(sessionId, messageId), []);
  return withVersions({ messages }, shown);
}

async function withVersions(
  source: Pick<TranscriptSource, 'messages'>,
  messages: readonly ThroughlineUIMessage[],
): Promise<ThroughlineUIMessage[]> {
  const replacements = await source.messages.replacements(messages.map(({ id }) => id));
  return messages.map((message) =>
    message.metadata && replacements.has(message.id)
      ? { ...message, metadata: { ...message.metadata, earlierVersion: true } }
      : message,
  );
}

/** The stores that a turn is read from. */
export interface TurnSource {
  readonly messages: {
    find(id: string): Promise<Message | null>;
    /** From that `seq` on, summaries included, in order. */
    loadFrom(sessionId: string, seq: number): Promise<Message[]>;
  };
  readonly compactions: SummarizedBy;
  readonly turns: Pick<TurnStore, 'approvals'>;
}

/** A stored turn: its messages from the request on, summaries of its compactions among them, and decisions. */
export interface ResumedTurn {
  readonly messages: readonly Message[];
  readonly compactions: readonly CompactionRecord[];
  readonly approvals: readonly Approval[];
}

/** Everything that is stored of the session's newest turn. */
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
