import type { CachedResponse } from '#server/site/public/cached-response';

interface CacheEntry {
  readonly answer: Promise<CachedResponse>;
  /** Size of the response with all encodings and its key; 0 until the response is created. */
  bytes: number;
}

/** The most recently requested responses of one state of the site, up to `maxBytes` in total. */
export class ResponseCache {
  readonly #maxBytes: number;
  readonly #entries = new Map<string, CacheEntry>();
  readonly #counted = new WeakSet<CachedResponse>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The cached response, or one that is being created for another request. */
  get(key: string): Promise<CachedResponse> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.answer;
  }

  /**
   * The cached response; without one, the result of `make`, which is then cached. Errors are not cached, nor are responses
   * that are already cached under another key.
   */
  keep(key: string, make: () => Promise<CachedResponse>): Promise<CachedResponse> {
    const known = this.get(key);
    if (known) return known;
    const entry = { answer: make(), bytes: 0 };
    this.#entries.set(key, entry);
    void this.#count(key, entry);
    return entry.answer;
  }

  /** Counts the bytes of a created response, unless it has been dropped since. */
  async #count(key: string, entry: CacheEntry): Promise<void> {
    try {
      const made = await entry.answer;
      if (this.#entries.get(key) !== entry) return;
      if (this.#counted.has(made)) return void this.#entries.delete(key);
      this.#counted.add(made);
      entry.bytes = [made.body, ...Object.values(made.encoded)].reduce((sum, { length }) => sum + length, key.length);
      this.#bytes += entry.bytes;
      this.#evict();
    } catch {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    }
  }

  #evict(): void {
    for (const [key, { bytes }] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#entries.delete(key);
      this.#bytes -= bytes;
    }
  }
}
