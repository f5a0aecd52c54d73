import { createHash } from 'node:crypto';
import type { JsonValue } from '#server/core/json';

/**
 * What the same call of the same caller has in common, hex: the order of an object's fields says nothing, and assistants
 * write it as it comes.
 * @param caller id of the key, or of whoever needs none
 * @param siteId of the site that it is about: what was agreed to on one holds on no other
 */
export function callHash(caller: string, siteId: string, toolName: string, input: JsonValue): string {
  return createHash('sha256')
    .update(JSON.stringify([caller, siteId, toolName, ordered(input)]))
    .digest('hex');
}

function ordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  // As pairs: a field may be called `__proto__`.
  return { fields: entries.map(([name, each]) => [name, ordered(each)]) };
}
