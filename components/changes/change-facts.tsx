import { changesStrings } from '#components/changes/words';
import type { ChangeOrigin, ChangeSet } from '#server/core/changes';

/** Changes of one day. */
export interface ChangeDay {
  /** Its first moment; stable while the list grows at its end. */
  readonly key: string;
  readonly changes: readonly ChangeSet[];
}

/**
 * Groups changes by local day, in their order.
 * @param changes newest first
 */
export function groupByDay(changes: readonly ChangeSet[]): ChangeDay[] {
  const days = Map.groupBy(changes, ({ createdAt }) => String(new Date(createdAt).setHours(0, 0, 0, 0)));
  return [...days].map(([key, own]) => ({ key, changes: own }));
}

/** True if a change is in effect and can be undone by itself. */
export function canUndo({ undoneBy, action }: Pick<ChangeSet, 'undoneBy' | 'action'>): boolean {
  return undoneBy === null && action !== 'undo';
}

/** Summary of a change in the sentence that says it was undone. */
export function undoneSummary({ summary }: ChangeSet): string {
  return summary.replace(/^Undid: /, '');
}

const { who, forWhom } = changesStrings;

/** Author of a change, by name where there are accounts: "Ada", "Assistant, for Ada". */
export function whoMade({ actor, userName }: Pick<ChangeOrigin, 'actor' | 'userName'>): string {
  return userName === undefined ? who[actor] : `${forWhom[actor]} ${userName}`.trim();
}

/**
 * The conversation in which a change was asked for, where its reader may open it: one's own. Null: none, as for what an
 * import did, which goes by the import's id.
 * @param readerId undefined: not known yet
 */
export function conversationOf(
  { sessionId, userId }: Pick<ChangeOrigin, 'sessionId' | 'userId'>,
  readerId: string | undefined,
): string | null {
  if (sessionId?.startsWith('ses_') !== true) return null;
  return userId === undefined || userId === readerId ? sessionId : null;
}
