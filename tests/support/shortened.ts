import type { JsonValue } from '#server/core/json';

const MAX_ITEMS = 2;
const MAX_CHARS = 300;

/** Small enough for a page: of long lists the first items, of long texts the beginning. */
export function shortened(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.length > MAX_CHARS ? `${value.slice(0, MAX_CHARS)}…` : value;
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each)]));
}
