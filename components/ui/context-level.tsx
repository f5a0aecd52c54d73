export type ContextLevel = 'calm' | 'warm' | 'full';

/** Percent of usable tokens from which the meter draws attention. */
export const WARM_PERCENT = 65;
/** Percent of usable tokens from which the next requests will be summarized. */
export const FULL_PERCENT = 85;

/** Urgency of a fill level (percent of usable tokens). */
export function contextLevel(percentUsed: number): ContextLevel {
  if (percentUsed >= FULL_PERCENT) return 'full';
  return percentUsed >= WARM_PERCENT ? 'warm' : 'calm';
}

/** Colours of each level. */
export const levelText: Readonly<Record<ContextLevel, string>> = {
  calm: 'text-ink',
  warm: 'text-amber',
  full: 'text-red',
};
export const levelBar: Readonly<Record<ContextLevel, string>> = { calm: 'bg-accent', warm: 'bg-amber', full: 'bg-red' };
