import type { Changes } from '#lib/admin/session-list';
import type { SessionOverview } from '#server/core/context-report';

/** Reads sessions that have changed. Of two readings of one session the one that was asked for later counts. */
export class SessionReadings {
  readonly #read: (id: string) => Promise<SessionOverview | null | undefined>;
  #asked = 0;
  /** By session, the last reading that was answered. */
  readonly #answered = new Map<string, number>();
  /** Readings up to this one are in the list. */
  #listed = 0;

  /** @param read resolves to null for a session that is gone, to undefined where nothing is known */
  constructor(read: (id: string) => Promise<SessionOverview | null | undefined>) {
    this.#read = read;
  }

  /** What is news of them, by id. */
  async read(ids: readonly string[]): Promise<Changes> {
    const reading = (this.#asked += 1);
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

  /** Call it before all sessions are asked for, and the result once they are there: no earlier reading is news then. */
  beforeList(): () => void {
    const listed = this.#asked;
    return () => {
      this.#listed = Math.max(this.#listed, listed);
    };
  }
}
