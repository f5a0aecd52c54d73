import { z } from 'zod';
import { checkInput } from '#server/content/check-input';
import type { NavigationItem } from '#server/core/content';
import { linkSchema, requiredLine } from '#server/core/safe-text';

const MAX_ITEMS = 20;

const linkFields = { label: requiredLine(80), href: linkSchema };

/** The navigation: at most 20 items, each with at most 20 items below it, and no deeper. */
export const navigationSchema = z
  .array(
    z.strictObject({
      ...linkFields,
      children: z.array(z.strictObject(linkFields)).max(MAX_ITEMS, `must have at most ${MAX_ITEMS} items`).optional(),
    }),
  )
  .max(MAX_ITEMS, `must have at most ${MAX_ITEMS} items`);

/** @throws InvalidInputError naming the item and field that is wrong. */
export function checkNavigation(items: unknown): NavigationItem[] {
  return checkInput(navigationSchema, items, 'The navigation');
}
