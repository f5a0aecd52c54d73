import { mutate } from 'swr';
import type { ChangeSet } from '#server/core/content';

/** Address of the journal; the first part of the keys under which lists of changes are kept. */
export const CHANGES = '/api/content/changes';

/** Connects the tabs of one browser. */
const channel = typeof window === 'undefined' ? null : new BroadcastChannel('throughline-content');

const isContent = (key: unknown) => {
  const address: unknown = Array.isArray(key) ? key[0] : key;
  return typeof address === 'string' && address.startsWith('/api/content/');
};

/** Reads again what is shown of the site's content: lists, entries, changes. */
export function refreshContent(): void {
  void mutate(isContent);
}

const own = new Set<string>();

/** Reports a change made on this page to every tab. */
export function contentChanged(changes: readonly ChangeSet[] = []): void {
  for (const { id } of changes) own.add(id);
  refreshContent();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of a window; a channel stays within its origin.
  channel?.postMessage(null);
}

/** True if a change was made from this page, which shows it already. */
export function isOwnChange(changeId: string): boolean {
  return own.has(changeId);
}

channel?.addEventListener('message', refreshContent);
