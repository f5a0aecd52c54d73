/** Units in which people read and enter numbers, each with the value of one in the unit of the API. */
export const displayUnits = {
  /** As it is: the number has the unit of its description, for example turns. */
  number: 1,
  percent: 0.01,
  minutes: 60_000,
  seconds: 1_000,
  'thousand-tokens': 1_000,
  'thousand-characters': 1_000,
  dollars: 1,
} as const;

export type DisplayUnit = keyof typeof displayUnits;

/** Names of the units. */
export const displayUnitNames = Object.keys(displayUnits) as [DisplayUnit, ...DisplayUnit[]];

/** Decimals that are kept of a converted number; removes the errors of binary fractions, such as 28.999999999999996. */
const DECIMALS = 10;

/** A number of the API in a unit of people: 900,000 ms are 15 minutes. */
export function toDisplayUnit(unit: DisplayUnit, value: number): number {
  return Number((value / displayUnits[unit]).toFixed(DECIMALS));
}

/**
 * A number as people enter it, in the unit of the API.
 * @param whole true if the API takes whole numbers only; parts of a unit are rounded then: 1.2345 thousand are 1,235
 */
export function fromDisplayUnit(unit: DisplayUnit, entered: number, whole: boolean): number {
  const factor = displayUnits[unit];
  const value = Number((entered * factor).toFixed(DECIMALS));
  return whole && factor > 1 ? Math.round(value) : value;
}
