import { z } from 'zod';

/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

/** Checks a JSON value at a border (HTTP body, JSON column, tool output). */
export const jsonValueSchema: z.ZodType<JsonValue> = z.json();
