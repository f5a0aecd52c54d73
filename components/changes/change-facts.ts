import type { Summarized } from '#components/message-text.ts';
import { isServerText } from '#server/core/message-data';
import { DELETED_PERSON_NAME } from '#server/core/admin/access-rights';
import type { ChangeOrigin, ChangeSet } from '#server/core/site/changes';
import { translator } from '#components/i18n.ts';

const t = translator('changes');

/** Changes of one day. */
export interface ChangeDay {
  /** First millisecond of the day (local time) as a text; it stays the same while older changes are appended. */
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

/** The summary of the change that an undo reversed; that of the undo itself if it is not known. */
export function undoneSummary({ summary, summaryMessage }: Summarized): Summarized {
  // Rows of earlier versions have no code.
  if (summaryMessage === null) return { summary: summary.replace(/^Undid: /, ''), summaryMessage };
  const isWrapped = summaryMessage.code === 'journal-undone' || summaryMessage.code === 'journal-plan-passed';
  const inner = isWrapped ? summaryMessage.params['change'] : null;
  if (!isServerText(inner)) return { summary, summaryMessage };
  const change = { summary: inner.text, summaryMessage: inner };
  return summaryMessage.code === 'journal-plan-passed' ? undoneSummary(change) : change;
}

/** Author of a change, by name if the server has accounts: "Ada", "Assistant, for Ada". */
export function whoMade({ actor, userName }: ChangeOrigin): string {
  return userName === undefined ? t(`who.${actor}`) : `${t(`forWhom.${actor}`)} ${personName(userName)}`.trim();
}

/** The displayed name of a person. The server's name for people whose data was erased is translated. */
export function personName(name: string): string {
  return name === DELETED_PERSON_NAME ? t('deletedPerson') : name;
}

/**
 * The conversation in which a change was requested, if it is the reader's own. Null if there was no conversation, as
 * for an import, whose changes carry the import's id.
 * @param readerId undefined while loading
 */
export function conversationOf({ sessionId, userId }: ChangeOrigin, readerId: string | undefined): string | null {
  if (sessionId?.startsWith('ses_') !== true) return null;
  return userId === undefined || userId === readerId ? sessionId : null;
}
