import type { CodedMessage } from '#server/core/coded-message';
import type { WindowReason } from '#server/models/learned-windows';
import type { TokenUsage } from '#server/models/list-prices';

/** A model that users can choose. */
export interface ModelChoice {
  readonly id: string;
  readonly name: string;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  readonly provider: string;
  /** False if the context window is a cautious guess; `warning` then says what to do. */
  readonly known: boolean;
  readonly warning: string | null;
  /** `warning` as data. */
  readonly warningMessage?: CodedMessage;
  /** False: the model gets only the name of an attached image. */
  readonly acceptsImages: boolean;
  /** False: its server reports that it cannot use tools. */
  readonly acceptsTools: boolean;
  /** Memory that the model takes with this context window, bytes; null: unknown. */
  readonly memoryBytes: number | null;
  /** The learned context window, if that is the one in effect. */
  readonly learnedWindow: { readonly tokens: number; readonly reason: WindowReason } | null;
  /** Cost of a turn at list prices, US dollars; 0: free; null: unknown. */
  priceOf(this: void, turn: TokenUsage): number | null;
}
