import { askDesk } from '#components/desk/desk-requests';
import { mutate } from 'swr';
import type { ChangeSet } from '#server/core/changes';

/** Connects the tabs of one browser. */
const channel = typeof window === 'undefined' ? null : new BroadcastChannel('throughline-content');

const isContent = (key: unknown) => {
  const address: unknown = Array.isArray(key) ? key[0] : key;
  return typeof address === 'string' && address.startsWith('/api/content/');
};

/** SWR key of a conversation's thread, which is read again with the content. */
export const threadKey = (sessionId: string) => ['/api/content/changes', 'thread', sessionId] as const;

const listeners = new Set<() => void>();

/** Calls `listener` whenever content is to be read again; gives back what ends that. */
export function onContentRefreshed(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Reads again what is shown of the site's content: lists, entries, changes. */
export function refreshContent(): void {
  void mutate(isContent);
  for (const listener of listeners) listener();
}

const own = new Set<string>();

/** Typing goes on with a change: the same one, at another revision, is news. */
const nameOf = ({ id, revision }: Pick<ChangeSet, 'id' | 'revision'>) => `${id}:${revision}`;

/** Notes a change made on this page, which shows it already. */
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

/** Shows what was written just now wherever it can be seen. */
export function showWritten(changes: readonly ChangeSet[]): void {
  contentChanged(changes);
  askDesk('preview-changes', changes);
}

/** True if a change was made from this page, which shows it already. */
export function isOwnChange(change: Pick<ChangeSet, 'id' | 'revision'>): boolean {
  return own.has(nameOf(change));
}

channel?.addEventListener('message', refreshContent);
