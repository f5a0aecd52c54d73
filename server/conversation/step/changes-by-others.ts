import { contextLine, fitting } from '#server/conversation/step/context-line';
import type { ContentBackend } from '#server/site/content-backend';
import type { ChangeActor, ChangeSet } from '#server/core/site/changes';
import { oneLine } from '#server/core/text/short-text';

/* The limits of the lines about changes by others are choices, not measurements. */

/** Maximum number of changes that are checked; a busy site may have more. */
const MAX_CHANGES = 100;
/** Maximum number of changed targets that are listed individually. */
const MAX_TARGETS = 8;
/** Maximum tokens of all lines. */
const OTHERS_TOKENS = 150;

/**
 * The newest change of the site, with its revision, because continued typing extends a change. Null id: the site has no
 * changes.
 */
export interface NewestChange {
  readonly changeId: string | null;
  readonly changeRevision?: number | undefined;
}

/** Reads the newest change of the site. */
export async function newestChange(content: ContentBackend): Promise<NewestChange> {
  const [newest] = await content.changes({ limit: 1 });
  return newest === undefined ? { changeId: null } : { changeId: newest.id, changeRevision: newest.revision };
}

/** Point up to which the assistant knows the site: a change, or a time (epoch milliseconds). */
export type Horizon = NewestChange | { readonly time: number };

/**
 * Lines about the changes by others after a point, one per target (an entry, one of its sections, the menu), newest
 * last. If not all fit, the first line counts the omitted targets.
 * @param isOwn matches changes that the conversation itself shows
 * @param timeZone of the displayed times; undefined: that of this server
 */
export async function othersLines(
  content: ContentBackend,
  since: Horizon,
  isOwn: (change: ChangeSet) => boolean,
  timeZone: string | undefined,
): Promise<string[]> {
  const newest = await content.changes({ limit: MAX_CHANGES });
  const changes = (
    'time' in since ? newest.filter(({ createdAt }) => createdAt > since.time) : changesAfter(newest, since)
  )
    .filter((change) => !isOwn(change))
    .toReversed();
  if (changes.length === 0) return [];
  const clock = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    ...(timeZone !== undefined && { timeZone }),
  });
  const targets = Map.groupBy(changes, targetOf);
  const newestTargets = [...targets.values()].slice(-MAX_TARGETS);
  const lines = fitting(
    newestTargets.map((ofTarget) => targetLine(ofTarget, clock)).toReversed(),
    OTHERS_TOKENS,
  ).toReversed();
  const left = targets.size - lines.length;
  return left === 0 ? lines : [`${left} more ${left === 1 ? 'thing' : 'things'}: see list_revisions`, ...lines];
}

/** The changes that are newer than a change; all of them if it is not among them. */
function changesAfter(
  changes: readonly ChangeSet[],
  { changeId, changeRevision = Infinity }: NewestChange,
): readonly ChangeSet[] {
  const end = changes.findIndex(({ id }) => id === changeId);
  if (end === -1) return changes;
  // Typing that went on after that point extends the change instead of adding one.
  const hasGoneOn = (changes[end]?.revision ?? 0) > changeRevision;
  return changes.slice(0, hasGoneOn ? end + 1 : end);
}

/** Subject of a change: the section whose fields it sets, or else its whole target. */
function targetOf({ targetId, operations }: ChangeSet): string {
  const sections = new Set(operations.map((operation) => (operation.op === 'set-section' ? operation.sectionId : '')));
  const [section = ''] = sections;
  return sections.size === 1 && section !== '' ? `${targetId} ${section}` : targetId;
}

/** Maximum characters of a written text in a line. A choice, not measured: enough to recognize it. */
const TEXT_CHARS = 60;

/** The text that a change wrote, if it wrote only one; else an empty text. */
function writtenText({ action, operations: [operation, ...others] }: ChangeSet): string {
  if (action === 'undo' || operation?.op !== 'set-section' || others.length > 0) return '';
  const [text, ...more] = Object.values(operation.fields);
  return typeof text === 'string' && more.length === 0 ? `: "${oneLine(text, TEXT_CHARS)}"` : '';
}

/** How a change was made, in the words of the line. */
const BY: Readonly<Record<ChangeActor, string>> = {
  assistant: 'by the assistant, where you do not see it',
  user: 'by hand',
  api: 'through the API',
  import: 'by an import',
  schedule: 'as planned',
  external: 'in its own CMS',
  seed: 'with the examples',
};

/** A line about all changes of one target, given oldest first. */
function targetLine(changes: readonly ChangeSet[], clock: Intl.DateTimeFormat): string {
  const newest = changes.at(-1)!;
  const { origin, createdAt } = newest;
  const done = [...new Set(changes.map(({ summary }) => summary))];
  const shown = done.length > 2 ? [`${done.length - 2} earlier changes`, ...done.slice(-2)] : done;
  const who = origin.userName === undefined ? '' : `${origin.userName}, `;
  return contextLine(
    `${targetOf(newest)}: ${shown.join('; ')}${writtenText(newest)} (${who}${BY[origin.actor]}, ${clock.format(createdAt)})`,
  );
}
