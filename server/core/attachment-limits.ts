/** What providers take at most of one image; bytes. */
export const MAX_IMAGE_BYTES = 5_000_000;
/** About 50,000 tokens of English, more than a message may have; bytes. */
export const MAX_TEXT_BYTES = 200_000;
/** A few hundred kB of a compressed image can claim billions of these; a phone's photo has 12 to 50 million. */
export const MAX_IMAGE_PIXELS = 40_000_000;
/** Files of one message. */
export const MAX_FILES = 10;
