import type { JsonValue } from '#server/core/json';
import type { Fields } from '#server/models/offline/requests';

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
