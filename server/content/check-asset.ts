import { z } from 'zod';
import { checkInput } from '#server/content/check-input';
import { tagsSchema } from '#server/content/tags-schema';
import { line, requiredLine } from '#server/core/safe-text';

/** Most characters of a description: as many as a section takes of one. */
const MAX_ALT_LENGTH = 300;

const assetDetails = z.strictObject({
  alt: line(MAX_ALT_LENGTH).optional(),
  filename: requiredLine(100)
    .regex(/^[^/\\]*$/, 'must not contain slashes')
    .optional(),
  tags: tagsSchema.optional(),
});

/** What people say of a picture; what is left out stays as it is. */
export type AssetDetails = z.infer<typeof assetDetails>;

/** @throws InvalidInputError naming the field */
export function checkAssetDetails(details: {
  readonly [Field in keyof AssetDetails]: unknown;
}): AssetDetails {
  const given = Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
  return checkInput(assetDetails, given, 'The picture');
}
