/** BM25's usual constants: https://www.sqlite.org/fts5.html#the_bm25_function */
const SATURATION = 1.2;
const LENGTH_NORMALIZATION = 0.75;

/** A plain BM25 search over texts, without stemming, prefixes or stop words: a baseline to compare a search with. */
export class Bm25 {
  readonly #documents: readonly ReadonlyMap<string, number>[];
  readonly #lengths: readonly number[];
  readonly #frequencies = new Map<string, number>();

  constructor(texts: readonly string[]) {
    const words = texts.map(wordsOf);
    this.#lengths = words.map(({ length }) => length);
    this.#documents = words.map(
      (all) => new Map([...Map.groupBy(all, (word) => word)].map(([w, of]) => [w, of.length])),
    );
    for (const document of this.#documents)
      for (const word of document.keys()) this.#frequencies.set(word, (this.#frequencies.get(word) ?? 0) + 1);
  }

  /** Positions of the best texts, best first; texts without a word of the query are left out. */
  search(query: string, limit: number): number[] {
    const words = [...new Set(wordsOf(query))];
    const usual = this.#lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, this.#lengths.length);
    const scored = this.#documents.map((document, index) => {
      const norm = 1 - LENGTH_NORMALIZATION + (LENGTH_NORMALIZATION * this.#lengths[index]!) / usual;
      const score = words.reduce((sum, word) => {
        const times = document.get(word) ?? 0;
        return sum + (this.#rarity(word) * times * (SATURATION + 1)) / (times + SATURATION * norm);
      }, 0);
      return { index, score };
    });
    const found = scored.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score || a.index - b.index);
    return found.slice(0, limit).map(({ index }) => index);
  }

  #rarity(word: string): number {
    const n = this.#frequencies.get(word) ?? 0;
    return Math.log(1 + (this.#documents.length - n + 0.5) / (n + 0.5));
  }
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
