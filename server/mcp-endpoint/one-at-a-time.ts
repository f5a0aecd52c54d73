import { Mutex } from 'async-mutex';

/** Does works of the same name one after the other, in the order in which they came. */
export class OneAtATime {
  readonly #turns = new Map<string, Mutex>();

  /** @throws what the work throws */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = this.#turns.get(name) ?? new Mutex();
    this.#turns.set(name, turn);
    try {
      return await turn.runExclusive(work);
    } finally {
      if (!turn.isLocked()) this.#turns.delete(name);
    }
  }
}
