/** Names of the compaction strategies (server/context/strategies), as in settings and requests. */
export const strategyNames = [
  'reactive-overflow',
  'proactive-threshold',
  'middle-removal',
  'ledger',
  'pruning-agent',
] as const;
export type StrategyName = (typeof strategyNames)[number];

/** Strategies that compact when the window is full. The others compact at a share of it. */
export const fullWindowStrategies: ReadonlySet<string> = new Set<StrategyName>(['reactive-overflow', 'ledger']);
