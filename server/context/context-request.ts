import type { ContextSettings } from '#server/context/context-settings';
import type { StrategyName } from '#server/core/strategies';
import type { ModelTarget } from '#server/context/counting/current-tokens';
import type { ContextListener, ContextStore, LedgerSource, Summarizer, SummaryOutcome } from '#server/context/ports';
import type { Strategy } from '#server/context/strategies/strategy';

/** The effects and numbers the engine works with, the same for every session. */
export interface ContextDependencies {
  readonly store: ContextStore;
  readonly ledger: LedgerSource;
  /** As they are set now. */
  readonly settings: () => ContextSettings;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Told what becomes of summaries that models write. Must not throw. */
  readonly onSummary?: ((outcome: SummaryOutcome) => void) | undefined;
}

/** One session, for one model. */
export interface ContextRequest {
  readonly sessionId: string;
  readonly target: ModelTarget;
  /** Null: no model writes summaries, the ledger does. */
  readonly summarizer: Summarizer | null;
  /** Instead of the one in the settings: one of ours by its name, or any. */
  readonly strategy?: StrategyName | Strategy | undefined;
  readonly listener?: ContextListener | undefined;
  readonly signal?: AbortSignal | undefined;
}
