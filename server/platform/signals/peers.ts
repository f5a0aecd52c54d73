import type { Clock } from '#server/core/process';

/** How often a process says that it hears signals; milliseconds. A choice: few messages, and a short time to miss one. */
export const PRESENCE_MS = 5_000;
/** Silence after which another process counts as cut off from the signals; milliseconds. Two presences may be lost. */
const SILENT_MS = 3 * PRESENCE_MS;
/** A process that was silent for this long has ended, as far as others can know; milliseconds. A choice. */
const FORGOTTEN_MS = 600_000;

/**
 * The other processes that share the signals, by what was heard of them. One that falls silent without saying that it ends
 * may run on without its connection: its changes cause no signals then.
 */
export class Peers {
  readonly #now: Clock['now'];
  readonly #heardAt = new Map<string, number>();

  constructor(now: Clock['now'] = () => performance.now()) {
    this.#now = now;
  }

  /** Something arrived from this process. */
  heard(origin: string): void {
    this.#heardAt.set(origin, this.#now());
  }

  /** This process has said that it ends. */
  left(origin: string): void {
    this.#heardAt.delete(origin);
  }

  /** False while a process is silent that may still run. */
  get areAllHeard(): boolean {
    const now = this.#now();
    for (const [origin, at] of this.#heardAt) if (now - at >= FORGOTTEN_MS) this.#heardAt.delete(origin);
    return [...this.#heardAt.values()].every((at) => now - at < SILENT_MS);
  }
}
