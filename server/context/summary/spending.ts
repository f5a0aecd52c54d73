import type { Usage } from '#server/core/messages';

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
