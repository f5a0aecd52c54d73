import type { Growth } from '#tests/bench/server/growth';

/** Percentiles in milliseconds. */
export interface Spread {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** A number of concurrent sessions, each sending turn after turn. */
export interface LoadFigures {
  readonly sessions: number;
  readonly turns: number;
  /** Turns that did not end as they should. */
  readonly errors: number;
  readonly turnsPerSecond: number;
  readonly firstToken: Spread;
  readonly wholeTurn: Spread;
  /** Of the server: megabytes at the end, and the most so far. */
  readonly memory: number;
  readonly peakMemory: number;
  /** Processor time of the server for one turn, milliseconds. */
  readonly cpuPerTurn: number;
}

/** Measures over sizes that grow by tens. */
export interface GrowthFigures {
  readonly sizes: readonly number[];
  readonly rows: readonly Growth[];
}

/** How figures were come by. */
export interface Circumstances {
  readonly at: string;
  readonly command: string;
  readonly machine: string;
  readonly node: string;
}

/** What `npm run bench:server` reports, as JSON. */
export interface ServerReport extends Circumstances {
  /** What the provider streamed in a turn of the load. */
  readonly words: string;
  /** Requests per median of the growth tables. */
  readonly rounds: number;
  readonly load: readonly LoadFigures[];
  readonly sessions: GrowthFigures;
}
