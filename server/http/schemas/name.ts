import { z } from 'zod';
import { atMost } from '#server/core/safe-text';
import { hasVisibleText } from '#server/core/visible-text';

/** A name that people give and read, at most `max` characters; outer whitespace is dropped. */
export function nameSchema(max: number) {
  return z.string().trim().max(max, atMost(max)).refine(hasVisibleText, 'must not be empty');
}
