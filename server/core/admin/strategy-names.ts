/** Names of the compaction strategies (server/context/strategies), as in settings and requests. */
export const strategyNames = [
  'reactive-overflow',
  'proactive-threshold',
  'middle-removal',
  'ledger',
  'pruning-agent',
] as const;
export type StrategyName = (typeof strategyNames)[number];
