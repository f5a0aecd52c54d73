import { translator } from '#components/i18n.ts';
import { number, preciseNumber } from '#components/format.ts';
import { duration } from '#components/ui/times.ts';
import { type DisplayUnit, displayUnits, toDisplayUnit } from '#server/core/admin/display-units';

const t = translator('settings');
const tServer = translator('server');

/** Limits of a number, in the unit of the API, and the unit in which people enter it. */
export interface NumberInput {
  readonly min: number;
  readonly max: number;
  readonly whole: boolean;
  readonly displayUnit: DisplayUnit;
}

/**
 * Name of the unit in which a number is entered.
 * @param unit of the description of the setting, for numbers that have it as it is
 */
export function unitName(displayUnit: DisplayUnit, unit: string): string {
  const own = tServer.find(`unit.${unit}`) ?? unit;
  if (displayUnit === 'number') return own;
  const name = t(`units.${displayUnit}`);
  return displayUnit === 'percent' ? `${name} ${own}` : name;
}

/** A number of the API in the unit of people, without its name: 15 for 900,000 ms. */
export function shownNumber(displayUnit: DisplayUnit, value: number): string {
  return preciseNumber.format(toDisplayUnit(displayUnit, value));
}

/** The limits of a number in the unit of people, without its name: `10 to 95`. */
export function rangeText({ min, max, displayUnit }: NumberInput): string {
  const [low, high] = [shownNumber(displayUnit, min), shownNumber(displayUnit, max)];
  // A smallest value that is rounded to 0 is not 0.
  return min !== 0 && low === shownNumber(displayUnit, 0)
    ? t('rangeUpTo', { max: high })
    : t('rangeFromTo', { min: low, max: high });
}

/** The same amount in another form that is easier to check: 40,000 tokens for 40 thousand. Null if there is none. */
export function amountInFull({ displayUnit }: NumberInput, value: number): string | null {
  switch (displayUnit) {
    case 'thousand-tokens':
      return `${number.format(value)} ${tServer('unit.tokens')}`;
    case 'thousand-characters':
      return `${number.format(value)} ${tServer('unit.characters')}`;
    case 'minutes':
      return value < displayUnits.minutes ? duration(value) : null;
    case 'seconds':
      return value >= 2 * displayUnits.minutes ? duration(value) : null;
    default:
      return null;
  }
}

/**
 * Step of the arrow keys, in the unit of people: for whole numbers and times, a tenth of the power of ten below or at
 * the value, and at least 1; 1 for percentages, 0.1 for other fractions.
 */
export function stepOf({ whole, displayUnit }: NumberInput, value: number): number {
  if (!whole) return displayUnit === 'percent' ? 1 : 0.1;
  const shown = Math.max(1, Math.abs(toDisplayUnit(displayUnit, value)));
  return Math.max(1, 10 ** (Math.floor(Math.log10(shown)) - 1));
}
