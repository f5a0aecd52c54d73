import { MAX_SLUG_LENGTH } from '#server/core/site/document-fields';

/**
 * The slugs in use for one type of entry. Remembers the next free number of each slug, so that n entries with the same
 * slug take n steps and not n².
 */
export class SlugIndex {
  readonly #taken = new Set<string>();
  /** Smallest number that may be free, by number of digits and slug before the number. */
  readonly #next = new Map<string, number>();

  /** Marks a slug as in use. */
  add(slug: string): void {
    this.#taken.add(slug);
  }

  /** Reserves the slug, or the first of `slug-2`, `slug-3` ... that is free. */
  claim(wanted: string): string {
    const slug = this.#taken.has(wanted) ? this.#numbered(wanted) : wanted;
    this.#taken.add(slug);
    return slug;
  }

  #numbered(wanted: string): string {
    for (let digits = 1; ; digits += 1) {
      // Long slugs that differ only at the end become equal when they are cut to fit a number.
      const base = wanted.slice(0, MAX_SLUG_LENGTH - digits - 1).replace(/-+$/, '');
      const key = `${digits} ${base}`;
      let number = this.#next.get(key) ?? Math.max(2, 10 ** (digits - 1));
      while (number < 10 ** digits && this.#taken.has(`${base}-${number}`)) number += 1;
      this.#next.set(key, number);
      if (number < 10 ** digits) return `${base}-${number}`;
    }
  }
}
