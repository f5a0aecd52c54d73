import { expect, it } from 'vitest';
import { largestPiece } from '#components/admin/session/request-section';
import { request } from '#tests/support/next-request';

it('draws bars against the largest piece', () => {
  expect(largestPiece(request)).toBe(900);
  expect(
    largestPiece({ ...request, instructions: { text: '', tokens: 0 }, tools: { names: [], tokens: 0 }, messages: [] }),
  ).toBe(1);
});
