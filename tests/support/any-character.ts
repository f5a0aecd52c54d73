import fc from 'fast-check';

/**
 * Any code point, half surrogate pairs and NUL included, as the unit of `fc.string`. Like its unit `binary`, which
 * builds a table of all code points, for more than a second in each worker.
 */
export const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point));
