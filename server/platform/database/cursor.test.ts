import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { InvalidInputError } from '#server/core/errors';
import { decodeCursor, encodeCursor, pageSize } from '#server/platform/database/cursor';

describe('cursors', () => {
  it('come back as they were, from characters that are safe in a URL', () => {
    fc.assert(
      fc.property(fc.integer(), fc.string(), (time, id) => {
        const cursor = encodeCursor([time, id]);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(decodeCursor(z.tuple([z.number(), z.string()]), cursor)).toEqual([time, id]);
      }),
    );
  });

  it('are refused when they were made up', () => {
    fc.assert(
      fc.property(fc.string(), (made) => {
        expect(() => decodeCursor(z.tuple([z.number(), z.string()]), made)).toThrow(InvalidInputError);
      }),
    );
  });

  it('come with pages of 1 to the largest allowed', () => {
    expect([undefined, 0, -5, 2.9, 900].map((limit) => pageSize(limit, 50, 200))).toEqual([50, 1, 1, 2, 200]);
  });
});
