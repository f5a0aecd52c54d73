import { expect, it } from 'vitest';
import type { z } from 'zod';
import { maxItemsOf, maxKeysOf, partsOf } from '#server/core/bounded-schema';
import { jsonValueSchema } from '#server/core/json';
import { inputSchemas } from '#tests/support/input-schemas';

/** Paths of the arrays and records of a schema that may hold any number of values. */
function unboundedIn(root: z.core.$ZodType): string[] {
  const seen = new Set<z.core.$ZodType>([jsonValueSchema]);
  const found: string[] = [];
  const visit = (schema: z.core.$ZodType, path: string) => {
    // Free JSON is bounded by the number of values that its route takes.
    if (seen.has(schema)) return;
    seen.add(schema);
    const { def } = schema._zod;
    if (def.type === 'array' && maxItemsOf(schema) === undefined) found.push(`${path}[]`);
    if (def.type === 'record' && !hasNamedKeys(schema) && maxKeysOf(schema) === undefined) found.push(`${path}{}`);
    const shape = (def as { shape?: Record<string, z.core.$ZodType> }).shape ?? {};
    const names = new Map(Object.entries(shape).map(([name, part]) => [part, name]));
    for (const part of partsOf(schema)) visit(part, names.has(part) ? `${path}.${names.get(part)}` : path);
  };
  visit(root, '');
  return found;
}

/** A record of an enumeration has no more fields than that. */
function hasNamedKeys(schema: z.core.$ZodType): boolean {
  const [key] = partsOf(schema);
  return key?._zod.values !== undefined;
}

it('every array and record of every input schema has a limit', () => {
  const schemas = inputSchemas();
  expect(schemas.length).toBeGreaterThan(150);
  expect(schemas.flatMap(([name, schema]) => unboundedIn(schema).map((path) => `${name}: ${path}`))).toEqual([]);
});
