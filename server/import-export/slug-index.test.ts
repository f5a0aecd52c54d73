import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { MAX_SLUG_LENGTH } from '#server/core/site/document-fields';
import { SlugIndex } from '#server/import-export/slug-index';

describe('SlugIndex', () => {
  it('gives each entry the smallest free number, at any length of the slug', () => {
    const long = 'a'.repeat(MAX_SLUG_LENGTH - 4);
    const slug = fc.constantFrom('about', 'about-2', 'about-12', ...['', '-bb', 'cc', '-b-2'].map((end) => long + end));
    fc.assert(
      fc.property(fc.array(slug, { maxLength: 40 }), fc.array(slug, { maxLength: 40 }), (present, wanted) => {
        const index = new SlugIndex();
        for (const each of present) index.add(each);
        const taken = new Set(present);
        for (const each of wanted) {
          const expected = firstFree(each, taken);
          taken.add(expected);
          expect(index.claim(each)).toBe(expected);
          expect(expected.length).toBeLessThanOrEqual(MAX_SLUG_LENGTH);
        }
      }),
    );
  });

  it.each([
    ['one slug', () => 'about'],
    [
      'long slugs that are equal once they are cut',
      (n: number) => `${'a'.repeat(MAX_SLUG_LENGTH - 6)}-${String(n % 9)}`,
    ],
  ])('numbers many entries with %s without searching for each', (_, slugOf) => {
    const index = new SlugIndex();
    const claimed = new Set<string>();
    const looks = vi.spyOn(Set.prototype, 'has');
    for (let n = 0; n < 5_000; n += 1) claimed.add(index.claim(slugOf(n)));
    const { length } = looks.mock.calls;
    looks.mockRestore();
    expect(claimed.size).toBe(5_000);
    // A search from 2 for each of them would look 12,500,000 times.
    expect(length).toBeLessThan(50_000);
  });
});

function firstFree(wanted: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const ending = `-${number}`;
    const slug = number === 1 ? wanted : wanted.slice(0, MAX_SLUG_LENGTH - ending.length).replace(/-+$/, '') + ending;
    if (!taken.has(slug)) return slug;
  }
}
