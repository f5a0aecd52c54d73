export type ContextLevel = 'calm' | 'warm' | 'full';

/** From here on (percent of usable tokens) the meter draws attention. */
const WARM_PERCENT = 65;
/** From here on the next requests will be summarized. */
const FULL_PERCENT = 85;

/** How urgent a filling level (percent of usable tokens) is shown. */
export function contextLevel(percentUsed: number): ContextLevel {
  if (percentUsed >= FULL_PERCENT) return 'full';
  return percentUsed >= WARM_PERCENT ? 'warm' : 'calm';
}
