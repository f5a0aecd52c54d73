import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';
import { atMost, imageSourceSchema, line, prose, requiredLine } from '#server/core/text/safe-text';

/* Fields that several kinds of sections have. */

/** Maximum number of items of any list inside a section. */
export const MAX_LIST_ITEMS = 50;

export const heading = requiredLine(200);
export const intro = prose(2_000);
export const alt = line(300);
export const label = requiredLine(80);

export const note = prose(1_000);

/** A list of items inside a section. @param max number of items */
export function listOf<Item extends z.ZodType>(item: Item, max = MAX_LIST_ITEMS) {
  return z.array(item).max(max, atMost(max, 'items'));
}

/** A time of day, stored as `09:30`; the end of a day is `24:00`. */
export const timeOfDay = line(5)
  .regex(/^(?:(?:[01]?\d|2[0-3])[:.][0-5]\d|24[:.]00)$/, valueRules.timeOfDay)
  .overwrite((time) => time.replace('.', ':').padStart(5, '0'));

/** A picture with its description and caption. */
export const pictureSchema = z.strictObject({ src: imageSourceSchema, alt, caption: line(300).optional() });
