/** The compaction strategies, as settings and requests name them. */
export const strategyNames = [
  'reactive-overflow',
  'proactive-threshold',
  'middle-removal',
  'ledger',
  'pruning-agent',
] as const;
export type StrategyName = (typeof strategyNames)[number];
