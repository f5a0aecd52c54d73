import { useEffect, useEffectEvent, useRef } from 'react';
import { isOwnChange } from '#lib/changes/content-cache';
import { useChanges } from '#lib/changes/use-changes';
import type { ChangeSet } from '#server/core/content';

/** How often it is looked for what others changed; ms. */
const REFRESH_INTERVAL = 10_000;
/** As many as matter to the page that is on screen. */
const NEWEST = 20;

/**
 * Hears of changes to the site that were not made here: by other people, through REST, in another conversation or tab.
 * @param sessionId what the assistant writes in this one is known from its tool calls, but not what its undos touch
 */
export function useOutsideChanges(sessionId: string | null, onChanges: (changes: readonly ChangeSet[]) => void): void {
  const { items } = useChanges({}, { refreshInterval: REFRESH_INTERVAL, pageSize: NEWEST });
  const known = useRef<ReadonlySet<string> | null>(null);
  const tell = useEffectEvent((changes: readonly ChangeSet[]) => {
    const others = changes.filter(({ id, action, origin }) => {
      const isWriteOfThisChat = origin.actor === 'assistant' && origin.sessionId === sessionId && action !== 'undo';
      return !isWriteOfThisChat && !isOwnChange(id);
    });
    if (others.length > 0) onChanges(others);
  });
  useEffect(() => {
    if (items === undefined) return;
    const before = known.current;
    known.current = new Set(items.map(({ id }) => id));
    if (before !== null) tell(items.filter(({ id }) => !before.has(id)));
  }, [items]);
}
