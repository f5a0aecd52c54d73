import type { JsonObject, JsonValue } from '#server/core/json';

/** A tool call to make. */
export interface Call {
  readonly toolName: string;
  readonly input: JsonObject;
}

/** What became of a call. */
export type Outcome =
  | { readonly kind: 'done'; readonly value: JsonValue }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'denied'; readonly reason: string }
  /** Done earlier in this request; a compaction in the middle of the turn removed the result from the prompt. */
  | { readonly kind: 'lost' };

/** A call with its outcome. */
export interface Made extends Call {
  readonly outcome: Outcome;
}

/**
 * A unit of work as a generator: yields the next calls, is resumed with their outcomes, returns the reply. Every step
 * runs it again from its start and takes outcomes from the results in the prompt, so it needs no memory.
 */
export type Work<Result = string> = Generator<readonly Call[], Result, readonly Made[]>;

/** Makes one call and returns it with its outcome. */
export function* callOne(toolName: string, input: JsonObject): Work<Made> {
  const [made] = yield [{ toolName, input }];
  return made ?? { toolName, input, outcome: { kind: 'lost' } };
}

/** Tools that never change the site; every other tool counts as one that may. */
const READING_TOOLS = new Set(['list_content', 'get_content', 'search_content', 'get_navigation', 'ask_user']);

/** True for a tool that may change the site. */
export function isWrite(toolName: string): boolean {
  return !READING_TOOLS.has(toolName);
}

/** The value if it is a JSON object, else an empty object. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** The value if it is a list, else an empty list. */
export function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** The value if it is a text, else an empty text. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
