import { useEffect, useEffectEvent, useRef } from 'react';
import { isOwnChange } from '#components/workspace/content-cache.ts';
import type { ChangeSet } from '#server/core/site/changes';
import { useChanges } from '#components/changes/use-changes.ts';

/** Polling interval for changes by others; ms. A choice, not measured. */
const REFRESH_INTERVAL = 10_000;
/** Number of newest changes read each time; more in one polling interval are not reported. A choice, not measured. */
const NEWEST = 20;

/**
 * Reports changes to the site that were not made in this tab: by other people, through REST, in another conversation or
 * tab. Changes that exist at the first reading are not reported.
 * @param sessionId conversation whose writes the caller knows from its tool calls; only its undos are reported, because
 *   their calls do not tell what they affect
 */
export function useOutsideChanges(sessionId: string | null, onChanges: (changes: readonly ChangeSet[]) => void): void {
  const { items } = useChanges({}, { refreshInterval: REFRESH_INTERVAL, pageSize: NEWEST });
  const known = useRef<ReadonlySet<string> | null>(null);
  const report = useEffectEvent((changes: readonly ChangeSet[]) => {
    const others = changes.filter((change) => {
      const { action, origin } = change;
      const isWriteOfThisChat = origin.actor === 'assistant' && origin.sessionId === sessionId && action !== 'undo';
      return !isWriteOfThisChat && !isOwnChange(change);
    });
    if (others.length > 0) onChanges(others);
  });
  useEffect(() => {
    if (items === undefined) return;
    const before = known.current;
    // Continued typing extends the same change, with a higher revision.
    const versionOf = ({ id, revision }: ChangeSet) => `${id}:${revision}`;
    known.current = new Set(items.map(versionOf));
    if (before !== null) report(items.filter((change) => !before.has(versionOf(change))));
  }, [items]);
}
