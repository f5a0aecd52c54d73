/** The engine's numbers; each has a `CONTEXT_*` name in the environment. All in tokens unless said otherwise. */
export interface ContextSettings {
  /** Kept free for an answer. Default 4,096. */
  readonly outputReserve: number;
  /** Newest tool outputs that pruning never clears. Default 40,000, at most a third of the window. */
  readonly pruneProtect: number;
  /** A prune must save this much. Default 20,000, at most a sixth of the window. */
  readonly pruneMinimum: number;
  /** Newest turns (not tokens) that pruning and compaction leave alone. Default 2. */
  readonly minTurnsToKeep: number;
  /** Tools whose outputs are never cleared. */
  readonly exemptTools: ReadonlySet<string>;
}
