/**
 * Revisions that the model of a conversation has seen: the newest at which it read or wrote an entry (by its id), one
 * section (by the section's id), or one detail (`pag_k2x9d1.title`); also those of the menu, the settings and one setting
 * (`settings.siteName`).
 */
export class SeenRevisions {
  readonly #revisions: Map<string, number>;

  constructor(stored: Readonly<Record<string, number>> = {}) {
    this.#revisions = new Map(Object.entries(stored));
  }

  note(key: string, revision: number): void {
    this.#revisions.set(key, Math.max(revision, this.#revisions.get(key) ?? 0));
  }

  /** Revision at which a piece of a target was last seen; null: never. */
  of(targetId: string, key = targetId): number | null {
    const seen = [this.#revisions.get(targetId), this.#revisions.get(key)].filter((revision) => revision !== undefined);
    return seen.length === 0 ? null : Math.max(...seen);
  }
}
