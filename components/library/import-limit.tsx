/** Bytes of the largest file over REST: texts of a very large site; WordPress has no pictures in its exports. The command takes more. */
export const MAX_IMPORT_BYTES = 32_000_000;
