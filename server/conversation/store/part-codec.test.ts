import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newPartsSchema } from '#server/conversation/store/part-codec';
import { anyNewPart } from '#tests/support/part-arbitraries';

describe('part codec', () => {
  it('gives back the parts of a queued message as they were', () => {
    fc.assert(
      fc.property(fc.array(anyNewPart, { maxLength: 4 }), (parts) => {
        expect(newPartsSchema.parse(JSON.parse(JSON.stringify(parts)))).toEqual(parts);
      }),
    );
  });
});
