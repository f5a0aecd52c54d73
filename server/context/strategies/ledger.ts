import { reactiveOverflow } from '#server/context/strategies/reactive-overflow';
import type { Strategy } from '#server/context/strategies/strategy';

/** No model, deterministic: as reactive-overflow, but the facts that code keeps are the whole summary. */
export const ledger: Strategy = { ...reactiveOverflow, name: 'ledger', writer: 'ledger' };
