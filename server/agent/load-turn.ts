import type { CompactionRecord } from '#server/core/compactions';
import type { Message } from '#server/core/messages';
import type { Turn } from '#server/core/turns';
import type { ResumedTurn } from '#server/agent/turn-executor';
import type { TurnStore } from '#server/core/turn-store';

/** What a stored turn is read from. */
export interface TurnSource {
  readonly messages: {
    find(id: string): Promise<Message | null>;
    /** From that `seq` on, summaries included, in order. */
    loadFrom(sessionId: string, seq: number): Promise<Message[]>;
  };
  readonly compactions: { list(sessionId: string): Promise<CompactionRecord[]> };
  readonly turns: Pick<TurnStore, 'approvals'>;
}

/** Everything that is stored of the session's newest turn. */
export async function loadTurn({ messages, compactions, turns }: TurnSource, turn: Turn): Promise<ResumedTurn> {
  const request = await messages.find(turn.userMessageId);
  const stored = await messages.loadFrom(turn.sessionId, request?.seq ?? 0);
  return {
    messages: stored.filter(({ turnId, isSummary }) => turnId === turn.id || isSummary),
    compactions: await compactions.list(turn.sessionId),
    approvals: await turns.approvals(turn.id),
  };
}
