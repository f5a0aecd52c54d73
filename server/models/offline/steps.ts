import type { JsonValue } from '#server/core/json';
import type { Fields } from '#server/models/offline/requests';

/** A tool call to make. */
export interface Call {
  readonly toolName: string;
  readonly input: Fields;
}

/**
 * What came of a call. `lost`: it was made and done earlier in this request, but its result is no longer in the
 * messages (a compaction in the middle of the turn).
 */
export type Outcome =
  | { readonly kind: 'done'; readonly value: JsonValue }
  | { readonly kind: 'failed'; readonly error: string }
  /** The user did not agree; `reason` is his, or says who did not. */
  | { readonly kind: 'denied'; readonly reason: string }
  | { readonly kind: 'lost' };

/** Whether the call has changed nothing: it went wrong, or nobody agreed to it. */
export function wasNotDone({ kind }: Outcome): boolean {
  return kind === 'failed' || kind === 'denied';
}

/**
 * A piece of work as a generator: yields the calls it needs next, is resumed with their outcomes, returns what it
 * found. The planner runs it from its start in every step and answers from the results in the prompt, so nothing but
 * the prompt needs to be remembered.
 */
export type Work<Result> = Generator<readonly Call[], Result, readonly Outcome[]>;

/** Makes one call. */
export function* callOne(toolName: string, input: Fields): Work<Outcome> {
  const [outcome] = yield [{ toolName, input }];
  return outcome ?? { kind: 'lost' };
}

/** Runs pieces of work side by side: what they need next is called together. */
export function* together<Result>(works: readonly Work<Result>[]): Work<Result[]> {
  const running = works.map((work) => ({ work, state: work.next() }));
  for (;;) {
    const waiting = running.flatMap(({ work, state }) => (state.done ? [] : [{ work, calls: state.value }]));
    if (waiting.length === 0) return running.flatMap(({ state }) => (state.done ? [state.value] : []));
    const outcomes = yield waiting.flatMap(({ calls }) => calls);
    let from = 0;
    for (const { work, calls } of waiting) {
      const entry = running.find((candidate) => candidate.work === work);
      if (entry) entry.state = work.next(outcomes.slice(from, from + calls.length));
      from += calls.length;
    }
  }
}

/** A JSON object as such; an empty one for anything else. */
export function objectOf(value: JsonValue | undefined): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** A JSON array as such; an empty one for anything else. */
export function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** A string as such; an empty one for anything else. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** One text for equal JSON values, whatever the order of their keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
