import type { Usage } from '#server/core/messages';

/** Model calls for one compaction, parts and attempts: each costs as much as a step. */
export const MOST_CALLS = 3;

/** The time and the model calls that one compaction may take, whoever began it. */
export class CallBudget {
  #deadline: AbortSignal;
  #calls = 0;

  /** @param ms from now on */
  constructor(ms: number) {
    this.#deadline = AbortSignal.timeout(ms);
  }

  /** Aborts when the time is up. */
  get deadline(): AbortSignal {
    return this.#deadline;
  }

  get callsLeft(): number {
    return this.#deadline.aborted ? 0 : MOST_CALLS - this.#calls;
  }

  takeCall(): void {
    this.#calls += 1;
  }

  /** Counts in what was begun earlier for the same compaction. */
  join(earlier: CallBudget): void {
    this.#deadline = AbortSignal.any([this.#deadline, earlier.#deadline]);
    this.#calls += earlier.#calls;
  }
}

/** What the model calls for one summary cost, also those whose text was refused or came too late. */
export class Spending {
  readonly #usages: Usage[] = [];

  add(usage: Usage | null): void {
    if (usage) this.#usages.push(usage);
  }

  /** Null where nothing was reported. */
  total(): Usage | null {
    if (this.#usages.length === 0) return null;
    const sum = (of: (usage: Usage) => number) => this.#usages.reduce((total, usage) => total + of(usage), 0);
    const hasCost = this.#usages.some(({ cost }) => cost !== undefined);
    return {
      inputTokens: sum(({ inputTokens }) => inputTokens),
      outputTokens: sum(({ outputTokens }) => outputTokens),
      ...(hasCost && { cost: sum(({ cost }) => cost ?? 0) }),
    };
  }
}
