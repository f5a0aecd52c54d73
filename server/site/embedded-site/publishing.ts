import type { ContentTransaction } from '#server/site/embedded/content-store';
import { discardDraft, publishEntry, scheduleEntry, unpublishEntry } from '#server/site/embedded/entry-writes';
import { isPublishedHome, lostHomeNotes } from '#server/site/embedded/home-page';
import type { SiteWriter } from '#server/site/embedded/site-writer';
import type { PublishOptions, SitePublishing } from '#server/site/content-backend';
import type { ChangeOrigin, EntryChange, Publication, WriteOptions } from '#server/core/site/changes';
import { notesFrom } from '#server/core/message-data';

/**
 * Unpublishes or trashes an entry and, if it was the home page, adds notes about what `/` shows then.
 * @param remove makes the write
 */
export async function withLostHomeNotes(
  tx: ContentTransaction,
  id: string,
  remove: () => Promise<EntryChange>,
): Promise<EntryChange> {
  const isHome = await isPublishedHome(tx, await tx.entry(id));
  const removed = await remove();
  return isHome ? { ...removed, ...notesFrom(await lostHomeNotes(tx, removed.entry)) } : removed;
}

/** Options of EmbeddedPublishing. */
export interface PublishingOptions {
  /** Called after an entry was scheduled, or its schedule cancelled. */
  readonly onSchedule?: () => void;
  /** True if another CMS renders the pages; it reports itself what it shows at `/`. */
  readonly isConnected: boolean;
}

/** What visitors see of the entries of a site in the local database. */
export class EmbeddedPublishing implements SitePublishing {
  readonly #writer: SiteWriter;
  readonly #options: PublishingOptions;

  constructor(writer: SiteWriter, options: PublishingOptions) {
    this.#writer = writer;
    this.#options = options;
  }

  publish(id: string, origin: ChangeOrigin, options?: PublishOptions): Promise<Publication> {
    return this.#writer.write((tx, context) => publishEntry(tx, id, context, options), origin, options);
  }

  async schedule(
    id: string,
    publishAt: number | null,
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<EntryChange> {
    const scheduled = await this.#writer.write(
      (tx, context) => scheduleEntry(tx, id, publishAt, context, options),
      origin,
      options,
    );
    this.#options.onSchedule?.();
    return scheduled;
  }

  unpublish(id: string, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange> {
    return this.#writer.write(
      (tx, context) => {
        const unpublish = () => unpublishEntry(tx, id, context, options);
        return this.#options.isConnected ? unpublish() : withLostHomeNotes(tx, id, unpublish);
      },
      origin,
      options,
    );
  }

  discardDraft(id: string, origin: ChangeOrigin, options?: WriteOptions): Promise<EntryChange> {
    return this.#writer.write((tx, context) => discardDraft(tx, id, context, options), origin, options);
  }
}
