import type { ContentBackend } from '#server/content/content-backend';
import type { ChangeAction, ChangeSet } from '#server/core/changes';

/** More changes since the last look than are read: then something that visitors see is taken to have changed. */
const MAX_NEWS = 50;
/** Actions on a page or post of which visitors see nothing. */
const UNSEEN: ReadonlySet<ChangeAction> = new Set(['create', 'update', 'discard', 'schedule']);

function isSeen({ targetType, action }: ChangeSet): boolean {
  if (targetType === 'standing-instructions') return false;
  return !((targetType === 'page' || targetType === 'post') && UNSEEN.has(action));
}

/** Time a change by another process may go unnoticed; milliseconds. */
const MAX_AGE_MS = 250;

/** A site's journal, and its writes here. */
interface FollowedSite {
  readonly content: Pick<ContentBackend, 'changes'>;
  /** Goes up with each write of this process. */
  readonly writes: () => number;
  /** Milliseconds. Default: the clock. */
  readonly now?: () => number;
}

/**
 * Tells one published state of a site from the next. The number it gives goes up whenever something has changed that
 * visitors see: the journal has every change. It is looked at after each write of this process, and four times a second
 * for those of others: a look takes a third of a millisecond, too much for every page view.
 */
export function followPublished({
  content,
  writes,
  now = () => performance.now(),
}: FollowedSite): () => Promise<number> {
  let state = 0;
  let upTo: string | undefined;
  let seen = -1;
  let lookedAt = -Infinity;
  let looking: Promise<number> = Promise.resolve(state);

  async function look(): Promise<number> {
    try {
      const [newest] = await content.changes({ limit: 1 });
      if (state > 0 && newest?.id === upTo) return state;
      const news = state === 0 ? [] : await content.changes({ limit: MAX_NEWS });
      const known = news.findIndex(({ id }) => id === upTo);
      if (known === -1 || news.slice(0, known).some(isSeen)) state += 1;
      // Changes made since the first of these two looks are looked at again next time.
      upTo = newest?.id;
      return state;
    } catch (error) {
      seen = -1;
      throw error;
    }
  }

  return () => {
    if (seen === writes() && now() - lookedAt < MAX_AGE_MS) return looking;
    seen = writes();
    lookedAt = now();
    // One look after the other: each begins after it was asked for.
    looking = looking.then(look, look);
    return looking;
  };
}
