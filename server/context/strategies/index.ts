import type { StrategyName } from '#server/core/strategies';
import { ledger } from '#server/context/strategies/ledger';
import { middleRemoval } from '#server/context/strategies/middle-removal';
import { proactiveThreshold } from '#server/context/strategies/proactive-threshold';
import { pruningAgent } from '#server/context/strategies/pruning-agent';
import { reactiveOverflow } from '#server/context/strategies/reactive-overflow';
import type { Strategy } from '#server/context/strategies/strategy';

/** Every strategy by its name. */
export const strategies: Readonly<Record<StrategyName, Strategy>> = {
  'reactive-overflow': reactiveOverflow,
  'proactive-threshold': proactiveThreshold,
  'middle-removal': middleRemoval,
  ledger,
  'pruning-agent': pruningAgent,
};
