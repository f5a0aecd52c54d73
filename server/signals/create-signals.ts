import type { Signals } from '#server/core/signals';
import { LocalSignals } from '#server/signals/local-signals';
import { RedisSignals } from '#server/signals/redis-signals';

/** Signals of this process, or with `REDIS_URL` of all that share it. `onFault` is told of faults that no user sees. */
export function createSignals(
  { REDIS_URL }: { readonly REDIS_URL?: string | undefined },
  onFault: (message: string, error: unknown) => void,
): Signals {
  return REDIS_URL === undefined ? new LocalSignals(onFault) : new RedisSignals(REDIS_URL, onFault);
}
