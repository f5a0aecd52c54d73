import { within } from '#server/core/async';
import { ConflictError, ThroughlineError } from '#server/core/errors';
import { knownEntryOf, remoteTypeOf, type SiteAccess } from '#server/wordpress/mirror';
import { type Exclusively, pullAll, pullNewer, type PullOptions } from '#server/wordpress/pull';
import { isAsKnown } from '#server/wordpress/remote-document';
import { isOfMissingKind, remoteEntry, takeOverEntry } from '#server/wordpress/take-over';

/** After a failure, reads go on from the mirror for so long without asking again, milliseconds. */
const PAUSE_AFTER_FAULT_MS = 10_000;
/** A read waits for WordPress at most so long, milliseconds; what it answers later is taken over then. */
const MAX_WAIT_MS = 5_000;
/** Number of pulls of new content for each search for deleted content. */
const PULLS_PER_SWEEP = 20;

export interface FreshnessOptions {
  /** Longest time an answer is fresh, milliseconds. */
  readonly freshForMs: number;
  readonly onFault: (message: string | null) => void;
}

/** Takes over, before something is read, what was changed in WordPress. A look never throws: reads go on from the mirror. */
export interface Freshness {
  /** One entry, by its id here. */
  entry(localId: string): Promise<void>;
  /** All that is new there. */
  site(): Promise<void>;
  /** Says that an entry was just written, and need not be asked for. */
  wrote(localId: string): void;
  /** Takes all over, as `pullAll` does and with what it throws. */
  all(options: PullOptions): Promise<void>;
  /** Says that something may have been written whose answer was lost: the next read asks. */
  doubt(): void;
}

export function createFreshness(
  site: SiteAccess,
  exclusively: Exclusively,
  { freshForMs, onFault }: FreshnessOptions,
): Freshness {
  const { now, mirror } = site;
  const entries = new Map<string, number>();
  let pulled = Number.NEGATIVE_INFINITY;
  let pulls = 0;
  let doubts = 0;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let pulling: Promise<void> | undefined;

  /** Never rejects. */
  async function ask(work: () => Promise<unknown>): Promise<void> {
    if (now() < pausedUntil) return;
    try {
      await work();
      onFault(null);
    } catch (error) {
      // Somebody else is writing there for long: that is no fault of the site.
      if (error instanceof ConflictError) return;
      pausedUntil = now() + Math.min(PAUSE_AFTER_FAULT_MS, freshForMs * 4);
      onFault(error instanceof ThroughlineError ? error.message : 'WordPress could not be asked.');
    }
  }

  async function look(localId: string): Promise<void> {
    const link = await mirror.link(localId);
    if (link === null || (link.kind !== 'page' && link.kind !== 'post')) return;
    if (await isOfMissingKind(site, link)) return;
    const remote = await remoteEntry(site, remoteTypeOf(link), link.remoteId);
    if (remote === null || !isAsKnown(knownEntryOf(link), remote, site.secrets))
      await exclusively(() => takeOverEntry(site, localId));
  }

  /** A doubt that is raised while all is asked for stays: what it is about may not have been seen. */
  async function askForAll(take: () => Promise<void>): Promise<void> {
    const before = doubts;
    await take();
    if (before === doubts) pulled = now();
  }

  /** Never rejects. */
  function pull(): Promise<void> {
    const take = pulls++ % PULLS_PER_SWEEP === 0 ? pullAll : pullNewer;
    const asked = askForAll(() => ask(() => take(site, exclusively))).finally(() => {
      if (pulling === asked) pulling = undefined;
    });
    return asked;
  }

  return {
    async entry(localId) {
      if (now() - Math.max(entries.get(localId) ?? pulled, pulled) < freshForMs) return;
      entries.set(localId, now());
      await within(
        MAX_WAIT_MS,
        ask(() => look(localId)),
      );
    },
    async site() {
      if (now() - pulled < freshForMs) return;
      pulling ??= pull();
      await within(MAX_WAIT_MS, pulling);
    },
    wrote(localId) {
      entries.set(localId, now());
    },
    async all(options) {
      await askForAll(() => pullAll(site, exclusively, options));
      pulls = 1;
    },
    doubt() {
      doubts += 1;
      entries.clear();
      pulled = Number.NEGATIVE_INFINITY;
      pulling = undefined;
    },
  };
}
