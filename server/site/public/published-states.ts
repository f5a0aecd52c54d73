import type { Clock } from '#server/core/process';
import type { ContentBackend } from '#server/site/content-backend';
import type { ChangeAction, ChangeSet } from '#server/core/site/changes';

/**
 * Up to this many changes since the last check are read; after more, the published site counts as changed. A choice,
 * not measured.
 */
const MAX_CHANGES_READ = 50;
/** Actions that change only the draft of a page or post. */
const DRAFT_ACTIONS: ReadonlySet<ChangeAction> = new Set(['create', 'update', 'discard', 'schedule']);

function isVisible({ targetType, action }: ChangeSet): boolean {
  if (targetType === 'standing-instructions') return false;
  if (targetType === 'design') return action !== 'update';
  return !((targetType === 'page' || targetType === 'post') && DRAFT_ACTIONS.has(action));
}

/** Longest time that a change by another process may go unnoticed; milliseconds. A choice, not measured. */
const MAX_AGE_MS = 250;

/** The journal of a site, and the number of its writes in this process. */
interface FollowedSite extends Partial<Clock> {
  readonly content: Pick<ContentBackend, 'changes'>;
  /** Increases with each write of this process. */
  readonly writes: () => number;
}

/**
 * Numbers the published states of a site.
 * @returns a function whose result increases whenever something has changed that visitors see. It reads the journal,
 * which has every change: after each write of this process, and at most four times a second for writes of other
 * processes, because a read takes a third of a millisecond, too much for every page view.
 */
export function followPublished({
  content,
  writes,
  now = () => performance.now(),
}: FollowedSite): () => Promise<number> {
  let state = 0;
  let upTo: string | undefined;
  let seenWrites = -1;
  let readAt = -Infinity;
  let reading: Promise<number> = Promise.resolve(state);

  async function read(): Promise<number> {
    try {
      const [newest] = await content.changes({ limit: 1 });
      if (state > 0 && newest?.id === upTo) return state;
      const recent = state === 0 ? [] : await content.changes({ limit: MAX_CHANGES_READ });
      const known = recent.findIndex(({ id }) => id === upTo);
      if (known === -1 || recent.slice(0, known).some(isVisible)) state += 1;
      // Changes made after the first of these two reads are read again next time.
      upTo = newest?.id;
      return state;
    } catch (error) {
      seenWrites = -1;
      throw error;
    }
  }

  return () => {
    if (seenWrites === writes() && now() - readAt < MAX_AGE_MS) return reading;
    seenWrites = writes();
    readAt = now();
    // One read after the other, so that each result reflects a state after its request.
    reading = reading.then(read, read);
    return reading;
  };
}
