import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { within } from '#server/core/async';
import { ConflictError, ThroughlineError } from '#server/core/errors';
import { knownEntryOf, remoteTypeOf, type SiteAccess } from '#server/wordpress/mirror/mirror';
import { type Exclusively, pullAll, pullNewer, type PullOptions } from '#server/wordpress/pull';
import { isAsKnown } from '#server/wordpress/mirror/remote-document';
import { isOfMissingKind, remoteEntry, takeOverEntry } from '#server/wordpress/pull-external-change';

/**
 * After a failure, reads use the mirror for this long without another request, milliseconds. A choice, not measured.
 */
const PAUSE_AFTER_FAULT_MS = 10_000;
/**
 * Longest time that a read waits for WordPress, milliseconds; a later response still updates the mirror when it
 * arrives. A choice, not measured.
 */
const MAX_WAIT_MS = 5_000;
/** Number of pulls of new content for each search for deleted content. A choice, not measured. */
const PULLS_PER_SWEEP = 20;

/** Options of `createFreshness`. */
export interface FreshnessOptions {
  /** Longest time for which a response counts as fresh, milliseconds. */
  readonly freshForMs: number;
  /** Receives why WordPress could not be reached, and null when it answers again. */
  readonly onFault: (reason: ServerText | null) => void;
}

/**
 * Updates the mirror from WordPress before something is read, unless it was updated recently. `entry` and `site` never
 * throw: on failure, reads use the present mirror.
 */
export interface Freshness {
  /** One entry, by its id here. */
  entry(localId: string): Promise<void>;
  /** All new content of the site; content deleted in WordPress is found by every twentieth call that sends requests. */
  site(): Promise<void>;
  /** Records that an entry was just written, and need not be requested. */
  wrote(localId: string): void;
  /** Updates the whole mirror, as `pullAll` does and with its errors. */
  all(options: PullOptions): Promise<void>;
  /** Marks everything as outdated, because the response to a write was lost: the next read sends a request. */
  doubt(): void;
}

/** @param exclusively runs work that changes the mirror, one at a time */
export function createFreshness(
  site: SiteAccess,
  exclusively: Exclusively,
  { freshForMs, onFault }: FreshnessOptions,
): Freshness {
  const { now, mirror } = site;
  const entries = new Map<string, number>();
  let pulledAt = Number.NEGATIVE_INFINITY;
  let pullCount = 0;
  let invalidations = 0;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let pulling: Promise<void> | undefined;

  /** Never rejects. */
  async function attempt(work: () => Promise<unknown>): Promise<void> {
    if (now() < pausedUntil) return;
    try {
      await work();
      onFault(null);
    } catch (error) {
      // Another process is writing there for a long time, which is not a fault of the site.
      if (error instanceof ConflictError) return;
      pausedUntil = now() + Math.min(PAUSE_AFTER_FAULT_MS, freshForMs * 4);
      onFault(error instanceof ThroughlineError ? error.text : serverText('wordpress-not-asked'));
    }
  }

  async function refreshEntry(localId: string): Promise<void> {
    const link = await mirror.link(localId);
    if (link === null || (link.kind !== 'page' && link.kind !== 'post')) return;
    if (await isOfMissingKind(site, link)) return;
    const remote = await remoteEntry(site, remoteTypeOf(link), link.remoteId);
    if (remote === null || !isAsKnown(knownEntryOf(link), remote, site.secrets))
      await exclusively(() => takeOverEntry(site, localId));
  }

  /**
   * Updates the whole mirror. If `doubt` is called during the update, the mirror stays outdated, because the update may
   * have read WordPress before the write in question.
   */
  async function refreshAll(take: () => Promise<void>): Promise<void> {
    const before = invalidations;
    await take();
    if (before === invalidations) pulledAt = now();
  }

  /** Never rejects. */
  function pull(): Promise<void> {
    const take = pullCount++ % PULLS_PER_SWEEP === 0 ? pullAll : pullNewer;
    const running = refreshAll(() => attempt(() => take(site, exclusively))).finally(() => {
      if (pulling === running) pulling = undefined;
    });
    return running;
  }

  return {
    async entry(localId) {
      if (now() - Math.max(entries.get(localId) ?? pulledAt, pulledAt) < freshForMs) return;
      entries.set(localId, now());
      await within(
        MAX_WAIT_MS,
        attempt(() => refreshEntry(localId)),
      );
    },
    async site() {
      if (now() - pulledAt < freshForMs) return;
      pulling ??= pull();
      await within(MAX_WAIT_MS, pulling);
    },
    wrote(localId) {
      entries.set(localId, now());
    },
    async all(options) {
      await refreshAll(() => pullAll(site, exclusively, options));
      pullCount = 1;
    },
    doubt() {
      invalidations += 1;
      entries.clear();
      pulledAt = Number.NEGATIVE_INFINITY;
      pulling = undefined;
    },
  };
}
