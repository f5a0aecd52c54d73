import { type Growth, growthOf, type Measure } from '#tests/bench/server/growth';
import { median } from '#tests/bench/support/figures';

/** A measure that is taken by asking; resolves with milliseconds. */
export interface Probe extends Measure {
  take(round: number): Promise<number>;
}

/** The probes of one size. Every size has the same, in the same order. */
export type ProbesOfSize = readonly Probe[];

/** Asks each of the probes once, before anything is measured: what a server does for the first time costs more. */
export async function warmUp(probes: ProbesOfSize, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) for (const probe of probes) await probe.take(-1 - round);
}

/**
 * Takes all probes of all given sizes in turns, so that what else the machine does falls on all of them alike.
 * @returns for each size the medians, one for each probe
 */
export async function medians(sizes: readonly ProbesOfSize[], rounds: number): Promise<number[][]> {
  const taken = sizes.map((probes) => probes.map((): number[] => []));
  for (let round = 0; round < rounds; round += 1) {
    for (const [size, probes] of sizes.entries()) {
      for (const [index, probe] of probes.entries()) taken[size]![index]!.push(await probe.take(round));
    }
  }
  return taken.map((probes) => probes.map((times) => median(times)));
}

/** @param values for each size the figures, one for each measure */
export function growthRows(measures: readonly Measure[], sizes: readonly number[], values: number[][]): Growth[] {
  return measures.map((measure, index) =>
    growthOf(
      measure,
      sizes,
      values.map((ofSize) => ofSize[index]!),
    ),
  );
}
