import type { SessionOverview } from '#server/core/conversation/session-overview';
import type { Changes } from '#components/admin/session-rows.ts';

/**
 * Reads sessions that have changed, and drops outdated results: of two readings of one session, the one requested later
 * counts, and the list of sessions counts more than a reading requested before the list.
 */
export class SessionReadings {
  readonly #read: (id: string) => Promise<SessionOverview | null | undefined>;
  /** Number of readings requested so far; each one has the number that this was then. */
  #requested = 0;
  /** Number of the last answered reading, by session. */
  readonly #answered = new Map<string, number>();
  /** Readings up to this number were requested before the newest list. */
  #listed = 0;

  /** @param read resolves to null for a deleted session, to undefined if the state is unknown */
  constructor(read: (id: string) => Promise<SessionOverview | null | undefined>) {
    this.#read = read;
  }

  /** Reads sessions and returns the results that are not outdated, by id. */
  async read(ids: readonly string[]): Promise<Changes> {
    const reading = (this.#requested += 1);
    const fresh = await Promise.all(ids.map(async (id) => [id, await this.#read(id)] as const));
    return new Map(
      fresh.filter((entry): entry is [string, SessionOverview | null] => {
        const [id, session] = entry;
        if (session === undefined || reading <= Math.max(this.#listed, this.#answered.get(id) ?? 0)) return false;
        this.#answered.set(id, reading);
        return true;
      }),
    );
  }

  /**
   * Call it before requesting the list of sessions, and call the returned function once the list has arrived. Readings
   * requested before the list are dropped from then on.
   */
  beforeList(): () => void {
    const listed = this.#requested;
    return () => {
      this.#listed = Math.max(this.#listed, listed);
    };
  }
}
