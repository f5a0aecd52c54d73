/*
 * Limits of what people may enter and upload, and of lists in reports. Does not import zod, so that forms in the browser
 * can use it.
 */

/**
 * Minimum characters of a password: between the minimum that OWASP's ASVS 5.0 allows (8) and the one it recommends (15),
 * because attempts are limited.
 */
export const MIN_PASSWORD = 12;
/** Maximum characters of a password: long enough for passphrases, short enough for hashing. */
export const MAX_PASSWORD = 128;

/** Maximum characters of a person's name. */
export const MAX_PERSON_NAME = 100;

/** Picture types that the media library accepts, with their file extensions. All browsers show them. */
export const pictureExtensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
};

/** Maximum bytes of a picture in the media library: a photo of a good camera. */
export const MAX_PICTURE_BYTES = 10_000_000;

/** Maximum length of the longer side of a thumbnail; pixels. */
export const THUMBNAIL_SIDE = 400;

/** Maximum bytes of an attached image: the largest that all providers accept. */
export const MAX_IMAGE_BYTES = 5_000_000;
/** Maximum bytes of an attached text file: about 50,000 tokens of English. */
export const MAX_TEXT_BYTES = 200_000;
/**
 * Maximum pixels of an image: a compressed file of a few hundred kB can claim billions, which would fill the memory. Photos
 * of phones have 12 to 50 million.
 */
export const MAX_IMAGE_PIXELS = 40_000_000;
/** Maximum number of files in one message. */
export const MAX_FILES = 10;
/** Largest import over REST, in bytes: the texts of a very large site. `npm run import` accepts more. */
export const MAX_IMPORT_BYTES = 32_000_000;

/** Maximum number of items of a menu on the top level, and below each item. */
export const MAX_NAVIGATION_ITEMS = 60;
/** Maximum number of levels of a menu; menus seldom have more than three. */
export const MAX_NAVIGATION_LEVELS = 5;

/** Number of the newest compactions in the report about the current context: a long session has hundreds. */
export const REPORTED_COMPACTIONS = 20;

/** Number of the newest compactions in the chart of the context over time. */
export const CHARTED_COMPACTIONS = 100;

/** Maximum characters of the reason for a denial. */
export const MAX_REASON_CHARS = 2_000;
