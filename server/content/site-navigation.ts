import { z } from 'zod';
import { checkInput } from '#server/content/check-input';
import type { NavigationItem } from '#server/core/content';
import { atMost, linkSchema, requiredLine } from '#server/core/safe-text';

/** Most items of a navigation, and of those below one of them. */
export const MAX_NAVIGATION_ITEMS = 20;

const linkFields = { label: requiredLine(80), href: linkSchema };

/** The navigation: at most 20 items, each with at most 20 items below it, and no deeper. */
export const navigationSchema = z
  .array(
    z.strictObject({
      ...linkFields,
      children: z
        .array(z.strictObject(linkFields))
        .max(MAX_NAVIGATION_ITEMS, atMost(MAX_NAVIGATION_ITEMS, 'items'))
        .optional(),
    }),
  )
  .max(MAX_NAVIGATION_ITEMS, atMost(MAX_NAVIGATION_ITEMS, 'items'));

/** @throws InvalidInputError naming the item and field that is wrong. */
export function checkNavigation(items: unknown): NavigationItem[] {
  return checkInput(navigationSchema, items, 'The navigation');
}
