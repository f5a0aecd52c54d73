import { createHash } from 'node:crypto';
import type { JsonValue } from '#server/core/json';

/**
 * Computes the hash (SHA-256, hex) of a call, by which its approval is found when the call is repeated. The order of fields
 * in the input does not matter.
 * @param caller id of the key, or of the user in local mode
 * @param siteId id of the site: an approval for one site is not valid on another
 */
export function callHash(caller: string, siteId: string, toolName: string, input: JsonValue): string {
  return createHash('sha256')
    .update(JSON.stringify([caller, siteId, toolName, ordered(input)]))
    .digest('hex');
}

/** The value with the fields of all objects in alphabetical order. */
function ordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  // As pairs, because a field may have the name `__proto__`.
  return { fields: entries.map(([name, each]) => [name, ordered(each)]) };
}
