import { z } from 'zod';
import { atMost, imageSourceSchema, line, prose, requiredLine } from '#server/core/text/safe-text';

/* Fields that several kinds of sections have. */

/** Maximum number of items of any list inside a section. */
export const MAX_LIST_ITEMS = 50;

export const heading = requiredLine(200);
export const intro = prose(2_000);
export const alt = line(300);
export const label = requiredLine(80);

/** A list of items inside a section. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).max(MAX_LIST_ITEMS, atMost(MAX_LIST_ITEMS, 'items'));
}

/** A picture with its description and caption. */
export const pictureSchema = z.strictObject({ src: imageSourceSchema, alt, caption: line(300).optional() });
