/** Above this a measure that should not grow is marked: 1,000 times the messages cost less than four times the time. */
export const GROWS_FROM = 0.2;

/** One measure at every size. */
export interface Growth {
  readonly measure: string;
  readonly unit: 'ms' | 'bytes' | 'MB';
  readonly values: readonly number[];
  /** 0: does not grow with the size, 1: linear. Null where a single point or a value of zero says nothing. */
  readonly exponent: number | null;
  /** It should not, and does. */
  readonly grows: boolean;
}

/** A measure that is to be looked at over sizes. */
export interface Measure {
  readonly measure: string;
  readonly unit: Growth['unit'];
  /** It should cost the same at every size. */
  readonly isConstant: boolean;
}

/** @param values of the measure, one for each of the sizes */
export function growthOf(
  { measure, unit, isConstant }: Measure,
  sizes: readonly number[],
  values: readonly number[],
): Growth {
  const exponent = fittedExponent(sizes, values);
  return { measure, unit, values, exponent, grows: isConstant && exponent !== null && exponent > GROWS_FROM };
}

/**
 * The exponent of the power law that fits best: least squares over the logarithms of all points.
 * @returns null where no line can be drawn
 */
function fittedExponent(sizes: readonly number[], values: readonly number[]): number | null {
  const points = sizes.map((size, index) => [Math.log(size), Math.log(values[index] ?? Number.NaN)] as const);
  const mean = (axis: 0 | 1) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const along = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const exponent = along / spread;
  return Number.isFinite(exponent) ? exponent : null;
}
