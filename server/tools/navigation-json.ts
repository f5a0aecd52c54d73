import type { NavigationItem } from '#server/core/content';
import type { JsonValue } from '#server/core/json';

/** A menu as plain JSON, without empty `children`. */
export function navigationJson(items: readonly NavigationItem[]): JsonValue[] {
  return items.map(({ label, href, children }) => ({
    label,
    href,
    ...(children === undefined || children.length === 0 ? {} : { children: navigationJson(children) }),
  }));
}
