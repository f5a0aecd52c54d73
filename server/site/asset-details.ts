import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';
import { tagsSchema } from '#server/core/site/document-fields';
import { line, requiredLine } from '#server/core/text/safe-text';
import { checkInput } from '#server/site/check-input';

/** Longest description in characters, the same limit as for a description in a section. */
const MAX_ALT_LENGTH = 300;

const assetDetails = z.strictObject({
  alt: line(MAX_ALT_LENGTH).optional(),
  filename: requiredLine(100)
    .regex(/^[^/\\]*$/, valueRules.slashes)
    .optional(),
  tags: tagsSchema.optional(),
});

/** Description, filename and tags of a picture; an omitted value does not change. */
export type AssetDetails = z.infer<typeof assetDetails>;

/** Checks the details that are given (not undefined). @throws InvalidInputError that names the wrong field */
export function checkAssetDetails(details: {
  readonly [Field in keyof AssetDetails]: unknown;
}): AssetDetails {
  const given = Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
  return checkInput(assetDetails, given, 'The picture');
}
