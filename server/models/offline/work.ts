import type { JsonObject, JsonValue } from '#server/core/json';

/** A tool call to make. */
export interface Call {
  readonly toolName: string;
  readonly input: JsonObject;
}

export type Outcome =
  | { readonly kind: 'done'; readonly value: JsonValue }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'denied'; readonly reason: string }
  /** Done earlier in this request; a compaction in the middle of the turn took the result out of the prompt. */
  | { readonly kind: 'lost' };

/** A call with what came of it. */
export interface Made extends Call {
  readonly outcome: Outcome;
}

/**
 * A piece of work as a generator: yields the calls it needs next, is resumed with their outcomes, returns what to say.
 * Every step runs it again from its start and answers from the results in the prompt, so it needs no memory.
 */
export type Work<Result = string> = Generator<readonly Call[], Result, readonly Made[]>;

export function* callOne(toolName: string, input: JsonObject): Work<Made> {
  const [made] = yield [{ toolName, input }];
  return made ?? { toolName, input, outcome: { kind: 'lost' } };
}

const LOOKING = new Set(['list_content', 'get_content', 'search_content', 'get_navigation', 'ask_user']);

/** True for a tool that may change the site. */
export function isWrite(toolName: string): boolean {
  return !LOOKING.has(toolName);
}

/** The value if it is a JSON object, else an empty one; those below likewise. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

export function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
