import { z } from 'zod';
import { atMost, requiredLine } from '#server/core/safe-text';

const MAX_TAGS = 20;

/** Tags of an entry or a picture, each once. */
export const tagsSchema = z
  .array(requiredLine(40))
  .max(MAX_TAGS, atMost(MAX_TAGS, 'tags'))
  .transform((tags) => [...new Set(tags)]);
