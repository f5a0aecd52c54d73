import type { ModelMessage } from 'ai';
import type { LedgerEntry } from '#server/core/conversation/compactions';

/** What every approach is given alike, for one transcript and one window. */
export interface World {
  /** Tokens of the model's window, of which `maxOutputTokens` are for its answer. */
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** Tokens of messages, counted the same way for everybody. */
  count(messages: readonly ModelMessage[]): number;
  /**
   * The scripted summarizer: the same text for the same prompt. Counted as one model call.
   * @param maxTokens length limit given to the model; default: none
   */
  summarize(prompt: string, maxTokens?: number): Promise<string>;
  /** The site's journal of the finished turns; empty for conversations without a site. */
  journal(): readonly LedgerEntry[];
}

/** One conversation in the hands of one approach. */
export interface Run {
  /**
   * Called before each model call of the transcript, as the program would be.
   * @param added what was said and done since the last call: its answer, tool results, the user's next words
   * @returns what the model would be sent, without instructions and tools
   */
  step(added: readonly ModelMessage[]): Promise<readonly ModelMessage[]>;
  /** One call of the approach's own tool for reading what is no longer shown; null where it has none. */
  readonly recall: ((query: string) => Promise<string>) | null;
  close(): Promise<void>;
}

/** One way to keep a conversation inside a window. */
export interface Approach {
  /** `Throughline: ledger`, `LangChain: summarization`. */
  readonly name: string;
  /** Package and version, or `this project`. */
  readonly source: string;
  readonly isOurs: boolean;
  /** How it was set up, in one sentence: which of its defaults, and what had to be given. */
  readonly setup: string;
  open(world: World): Promise<Run>;
}
