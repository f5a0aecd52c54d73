import { z } from 'zod';

/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

/** Checks a JSON value at a border (HTTP body, JSON column, tool output). */
export const jsonValueSchema: z.ZodType<JsonValue> = z.json();

/** Levels of arrays and objects. Far more than any real value has, far less than what overflows a recursive reader. */
const MAX_DEPTH = 100;

/**
 * Finds the reason for which parsed JSON could not be kept as it is, as the end of a sentence; null where it can. Reasons
 * are text with a NUL or half a surrogate pair, in values and in names; the name `__proto__`, which assignments drop in
 * silence; and nesting that is only meant to hurt.
 */
export function jsonProblem(root: unknown): string | null {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === 'string' && isBroken(value)) return BROKEN_TEXT;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} levels deep`;
    const problem = Array.isArray(value) ? null : nameProblem(Object.keys(value));
    if (problem !== null) return problem;
    for (const child of Object.values(value)) open.push({ value: child, depth: depth + 1 });
  }
  return null;
}

const BROKEN_TEXT = 'has broken text: a NUL character or half of a surrogate pair';

function nameProblem(names: readonly string[]): string | null {
  if (names.some(isBroken)) return BROKEN_TEXT;
  return names.includes('__proto__') ? 'has a field with the name "__proto__"' : null;
}

function isBroken(text: string): boolean {
  return !text.isWellFormed() || text.includes('\0');
}

/** The value that a text holds as JSON; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A value as JSON keeps it: without undefined fields, and as a copy. */
export function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

/** Compares values as JSON; the order of fields counts. */
export function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
