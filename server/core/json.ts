import { z } from 'zod';

/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
/** A JSON object. */
export type JsonObject = { [key: string]: JsonValue };

/** Checks a JSON value at a boundary (HTTP body, JSON column, tool output). Returns the same value, not a copy. */
export const jsonValueSchema: z.ZodType<JsonValue> = withFastCheck(z.json());

/**
 * A JSON value with a description for the API document. Wraps the schema: `describe` would copy it, without its fast
 * check and its name.
 */
export function describedJson(description: string): z.ZodType<JsonValue> {
  return z.nonoptional(jsonValueSchema).describe(description);
}

/**
 * Accepts valid JSON without zod's own schema, which tries six types for each nested value and describes why five of
 * them do not fit; that takes ten times as long. Zod's schema runs for invalid values only.
 */
function withFastCheck(schema: z.ZodType<JsonValue>): z.ZodType<JsonValue> {
  const parse = schema._zod.parse.bind(schema._zod);
  const quick: typeof parse = (payload, context) => (isJson(payload.value) ? payload : parse(payload, context));
  schema._zod.parse = quick;
  schema._zod.run = quick;
  return schema;
}

/** Also returns false for a field named `__proto__`, which zod leaves out. */
function isJson(root: unknown): boolean {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (value === null || typeof value === 'string' || typeof value === 'boolean') continue;
    if (typeof value === 'number' && Number.isFinite(value)) continue;
    if (typeof value !== 'object') return false;
    if (!Array.isArray(value) && !isPlain(value)) return false;
    for (const each of Array.isArray(value) ? value : Object.values(value)) open.push(each);
  }
  return true;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !Object.hasOwn(value, '__proto__');
}

/**
 * Maximum nesting of arrays and objects. Far more than real values have, far less than what overflows a recursive
 * reader.
 */
export const MAX_DEPTH = 100;

/** Why JSON cannot be stored unchanged. */
export type JsonProblem = 'levels' | 'fields' | 'text' | 'name';

/**
 * Finds the reason why parsed JSON cannot be stored unchanged; null if it can. Reasons are: text with a NUL or half a surrogate pair, in values and in names; the name `__proto__`, which assignments drop
 * silently; nesting that is only meant to do harm; and an object with very many fields.
 */
export function jsonProblem(root: unknown): JsonProblem | null {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === 'string' && isBroken(value)) return 'text';
    if (typeof value !== 'object' || value === null) continue;
    if (depth > MAX_DEPTH) return 'levels';
    const problem = Array.isArray(value) ? null : namesProblem(Object.keys(value));
    if (problem !== null) return problem;
    for (const child of Object.values(value)) open.push({ value: child, depth: depth + 1 });
  }
  return null;
}

/**
 * Maximum number of fields of one object: distinct names cost ten times as much as other values, in each step that
 * copies them.
 */
export const MAX_FIELDS = 20_000;

function namesProblem(names: readonly string[]): JsonProblem | null {
  if (names.length > MAX_FIELDS) return 'fields';
  if (names.some(isBroken)) return 'text';
  return names.includes('__proto__') ? 'name' : null;
}

function isBroken(text: string): boolean {
  return !text.isWellFormed() || text.includes('\0');
}

/** All texts in a value, in order, without the names of fields. */
export function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Parses a text as JSON; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Copies a value as JSON stores it: without undefined fields. */
export function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

/** True if two values have the same JSON; the order of fields counts. */
export function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** True for an object, not for a list or null. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
