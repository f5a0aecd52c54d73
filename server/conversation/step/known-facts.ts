import type { NewestChange } from '#server/conversation/step/changes-by-others';
import { BoundedMap } from '#server/core/bounded-map';

type Facts = Readonly<Record<string, string>>;

/** Number of sets of lines that are kept. A choice, not measured: conversations that are active at the same time. */
const MAX_KEPT = 200;

/**
 * Lines about the built-in site, kept in memory with the newest change of the journal at which they were read. The journal
 * contains every change of the built-in site, whichever process made it; it does not contain those that are made in
 * WordPress.
 */
export class KnownFacts {
  readonly #kept = new BoundedMap<{ readonly newest: NewestChange; readonly facts: Facts }>(MAX_KEPT);

  /**
   * The lines, read only if something has changed since they were read last.
   * @param key identifies what is asked for
   * @param newest reads the newest change
   * @param read reads the lines; it may begin before `newest` has ended, but not before it was called
   */
  async read(
    key: string,
    newest: () => Promise<NewestChange>,
    read: () => Promise<Facts>,
  ): Promise<{ readonly newest: NewestChange; readonly facts: Facts }> {
    const kept = this.#kept.get(key);
    const asking = newest();
    const reading = kept ? null : read();
    const [now, fresh] = await Promise.all([asking, reading]);
    const isKept = kept?.newest.changeId === now.changeId && kept.newest.changeRevision === now.changeRevision;
    if (kept && isKept) return kept;
    const made = { newest: now, facts: fresh ?? (await read()) };
    this.#kept.set(key, made);
    return made;
  }
}
