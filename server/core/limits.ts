/* Limits of what people may enter and upload, without zod, so that forms in the browser know them too. */

/** Characters of a password: between the least that ASVS 5.0 allows (8) and what it advises (15), as attempts are limited. */
export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 128;

/** Characters. */
export const MAX_PERSON_NAME = 100;

/** Kinds of pictures that the media library takes, and how their names end. All browsers show them. */
export const pictureExtensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
};

/** A photo of a good camera; visitors wait for every one of these bytes. */
export const MAX_PICTURE_BYTES = 10_000_000;

/** Longer side of a thumbnail at most; pixels. */
export const THUMBNAIL_SIDE = 400;

/** Largest image that providers accept; bytes. */
export const MAX_IMAGE_BYTES = 5_000_000;
/** About 50,000 tokens of English, more than a message may have; bytes. */
export const MAX_TEXT_BYTES = 200_000;
/** A few hundred kB of a compressed image can claim billions of these; a phone's photo has 12 to 50 million. */
export const MAX_IMAGE_PIXELS = 40_000_000;
/** Files of one message. */
export const MAX_FILES = 10;
/** Largest import over REST, in bytes: the texts of a very large site. `npm run import` takes more. */
export const MAX_IMPORT_BYTES = 32_000_000;

/** Most items of a navigation on its top level, and below any one item. */
export const MAX_NAVIGATION_ITEMS = 60;
/** Levels of a navigation; menus are seldom deeper than three. */
export const MAX_NAVIGATION_LEVELS = 5;
