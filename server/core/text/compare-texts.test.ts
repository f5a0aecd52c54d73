import { describe, expect, it } from 'vitest';
import { nearMatches } from '#server/core/text/compare-texts';

describe('nearMatches', () => {
  const names = ['Pricing', 'Our story', 'Workshops', 'Contact'];

  it('suggests similar texts', () => {
    expect(nearMatches('Prices', names)).toEqual(['Pricing']);
    expect(nearMatches('the workshop page', names)).toEqual(['Workshops']);
  });

  it('offers nothing for something else', () => expect(nearMatches('zzz', names)).toEqual([]));
});
