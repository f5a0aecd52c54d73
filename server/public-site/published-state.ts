import type { ContentBackend } from '#server/content/content-backend';
import type { ChangeAction, ChangeSet } from '#server/core/content';

/** More changes since the last look than are read: then something that visitors see is taken to have changed. */
const MAX_NEWS = 50;
/** What is done to a page or post without a visitor seeing any of it. */
const UNSEEN: ReadonlySet<ChangeAction> = new Set(['create', 'update', 'discard', 'schedule']);

function isSeen({ targetType, action }: ChangeSet): boolean {
  if (targetType === 'standing-instructions') return false;
  return !((targetType === 'page' || targetType === 'post') && UNSEEN.has(action));
}

/**
 * Tells one published state of a site from the next. The number it gives goes up whenever something has changed that
 * visitors see, by whatever process: the journal has every change. Each answer is of a time after its question; questions
 * that come while the journal is being looked at share the next look.
 */
export function followPublished(content: Pick<ContentBackend, 'changes'>): () => Promise<number> {
  let state = 0;
  let upTo: string | undefined;
  let looking: Promise<number> | null = null;
  let next: Promise<number> | null = null;

  async function look(): Promise<number> {
    const [newest] = await content.changes({ limit: 1 });
    if (state > 0 && newest?.id === upTo) return state;
    const news = state === 0 ? [] : await content.changes({ limit: MAX_NEWS });
    const known = news.findIndex(({ id }) => id === upTo);
    if (known === -1 || news.slice(0, known).some(isSeen)) state += 1;
    // What came after this one is looked at once more.
    upTo = newest?.id;
    return state;
  }

  const begin = () => {
    next = null;
    const now = look().finally(() => {
      if (looking === now) looking = null;
    });
    return (looking = now);
  };
  return () => next ?? (looking === null ? begin() : (next = looking.then(begin, begin)));
}
