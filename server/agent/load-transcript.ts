import type { CompactionRecord } from '#server/core/compactions';
import type { Message } from '#server/core/messages';
import type { Approval } from '#server/core/turns';
import type { TurnStore } from '#server/core/turn-store';
import { type ThroughlineUIMessage, toUIMessages } from '#server/agent/ui-messages';

/** What a transcript is read from. */
export interface TranscriptSource {
  readonly messages: {
    list(
      sessionId: string,
      query: { cursor?: string | undefined; limit: number; summaries: true },
    ): Promise<{ items: Message[]; nextCursor: string | null }>;
  };
  readonly compactions: { list(sessionId: string): Promise<CompactionRecord[]> };
  readonly turns: Pick<TurnStore, 'approvals' | 'pendingApprovals'>;
}

const PAGE = 1_000;

/** The whole conversation as the chat shows it, compactions in their places. */
export async function loadTranscript(source: TranscriptSource, sessionId: string): Promise<ThroughlineUIMessage[]> {
  const messages: Message[] = [];
  let cursor: string | undefined;
  do {
    const page = await source.messages.list(sessionId, { cursor, limit: PAGE, summaries: true });
    messages.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return toUIMessages(messages, await source.compactions.list(sessionId), await waitingApprovals(source, sessionId));
}

/** Of the turn that waits for the user: also what is decided while others still wait. */
async function waitingApprovals({ turns }: TranscriptSource, sessionId: string): Promise<Approval[]> {
  const [pending] = await turns.pendingApprovals(sessionId);
  return pending ? turns.approvals(pending.turnId) : [];
}
