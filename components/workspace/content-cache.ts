import { atom, type ReadableAtom } from 'nanostores';
import { mutate } from 'swr';
import type { ChangeSet } from '#server/core/site/changes';

/** Connects the tabs of one browser. */
const channel = typeof window === 'undefined' ? null : new BroadcastChannel('throughline-content');

const isContent = (key: unknown) => {
  const address: unknown = Array.isArray(key) ? key[0] : key;
  return typeof address === 'string' && address.startsWith('/api/content/');
};

/** SWR key of a conversation's history, which is revalidated with the content. */
export const historyKey = (sessionId: string) => ['/api/content/changes', 'thread', sessionId] as const;

const refreshes = atom(0);

/** Counts how often content had to be loaded again. */
export const contentRefreshes: ReadableAtom<number> = refreshes;

/** Revalidates all site content that is shown: lists, entries, changes. */
export function refreshContent(): void {
  void mutate(isContent);
  refreshes.set(refreshes.get() + 1);
}

const own = new Set<string>();

/** Continued typing extends an existing change: the same id with another revision counts as a new change. */
const nameOf = ({ id, revision }: Pick<ChangeSet, 'id' | 'revision'>) => `${id}:${revision}`;

/** Marks a change as made on this page, which shows it already. */
export function noteOwnChange(change: ChangeSet): void {
  own.add(nameOf(change));
}

/** Reports a change made on this page to every tab. */
export function contentChanged(changes: readonly ChangeSet[] = []): void {
  changes.forEach(noteOwnChange);
  refreshContent();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of a window; a channel stays within its origin.
  channel?.postMessage(null);
}

const updates = atom<readonly ChangeSet[]>([]);

/** The newest changes that the preview has to show, a new list for each request; empty: reload the displayed page. */
export const previewUpdates: ReadableAtom<readonly ChangeSet[]> = updates;

/** Reloads the page in the preview. */
export function reloadPreview(): void {
  updates.set([]);
}

/** Updates all views of the content that was just written. */
export function showWritten(changes: readonly ChangeSet[]): void {
  contentChanged(changes);
  updates.set([...changes]);
}

/** True if the change was made on this page, which shows it already. */
export function isOwnChange(change: ChangeSet): boolean {
  return own.has(nameOf(change));
}

channel?.addEventListener('message', refreshContent);
