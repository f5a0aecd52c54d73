import { translator } from '#components/i18n.ts';
import type { StrategyName } from '#server/core/admin/strategy-names';

const t = translator('strategies');

/** All strategies, in the order of the choices. */
export const strategies = [
  'reactive-overflow',
  'proactive-threshold',
  'middle-removal',
  'ledger',
  'pruning-agent',
] as const satisfies readonly StrategyName[];

/** The name of a strategy; the name in the settings if this version does not know it. */
export function strategyName(strategy: string): string {
  return t.find(`${strategy}.name`) ?? strategy;
}

/** Strategies whose summary a model writes, which accept instructions about its focus. */
export const modelStrategies: ReadonlySet<StrategyName> = new Set([
  'reactive-overflow',
  'proactive-threshold',
  'pruning-agent',
]);
