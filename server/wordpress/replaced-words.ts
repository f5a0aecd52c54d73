import { diffWords } from 'diff';
import { quotedTitle } from '#server/content/change-summary';
import type { ContentReader } from '#server/content/embedded/content-store';
import { type EntryState, stateFromJson } from '#server/content/embedded/entry-state';
import { utcTime } from '#server/content/embedded/entry-writes';
import { documentChanges, itemName } from '#server/content/field-changes';
import type { FieldChange, Publication } from '#server/core/changes';
import { type EntryDocument, sameDocument } from '#server/core/content';
import { shortPair } from '#server/core/short-text';

/* What somebody changed in WordPress of what is published, and a draft that was begun before has otherwise. */

/** Most places that a note names. */
const MAX_NAMED = 3;

/** Tells whether two changes are of the same place, or one of a part of the other's. */
function isSamePlace(one: FieldChange, other: FieldChange): boolean {
  const isIn = (a: string, b: string) => a === b || a.startsWith(`${b} › `) || a.startsWith(`${b}.`);
  return one.sectionId === other.sectionId && (isIn(one.field, other.field) || isIn(other.field, one.field));
}

/** The time to compare two texts grows with the square of what differs. */
const MOST_EDITS = 1_000;

/** Tells whether a text holds all that a change of it added, and nothing that it removed. */
function keeps(text: unknown, { before, after }: FieldChange): boolean {
  if (typeof text !== 'string' || typeof before !== 'string' || typeof after !== 'string') return false;
  // Texts that differ in more are told as they are, kept or not.
  const pieces = diffWords(before, after, { maxEditLength: MOST_EDITS });
  return (pieces ?? [{ added: true, removed: false, value: after }]).every(({ added, removed, value }) => {
    const words = value.trim();
    return words === '' || !(added || removed) || text.includes(words) === added;
  });
}

/** Changes between two published versions that a draft does not have. */
function lostIn(draft: EntryDocument, before: EntryDocument, published: EntryDocument): FieldChange[] {
  const ours = documentChanges(published, draft).filter(({ kind }) => kind !== 'moved');
  return documentChanges(before, published).filter((theirs) => {
    const mine = theirs.kind === 'moved' ? undefined : ours.find((change) => isSamePlace(change, theirs));
    return mine !== undefined && !(mine.field === theirs.field && keeps(mine.after, theirs));
  });
}

function placeNote({ field, before, after }: FieldChange): string {
  const [was, is] = shortPair(before === null ? '' : itemName(before), after === null ? '' : itemName(after));
  return `${field}, "${was}" to "${is}"`;
}

/**
 * What somebody changed in WordPress of what is published since a draft was begun, with its time: `on 5 Jan 2027, 09:00
 * UTC (text section › body, "Open" to "Closed")`; null: nothing that the draft does not have too.
 * @param newest revision up to which the journal counts
 */
async function replacedWords(
  reader: ContentReader,
  entryId: string,
  { draft, published }: Pick<EntryState, 'draft' | 'published'>,
  newest = Infinity,
): Promise<string | null> {
  if (published === null || sameDocument(draft, published)) return null;
  const journal = (await reader.journalOf(entryId)).filter(({ change }) => change.revision <= newest);
  const isTheirs = ({ change, publication }: (typeof journal)[number]) =>
    publication && change.origin.actor === 'external';
  if (!journal.some(isTheirs)) return null;
  let base: EntryDocument | null = null;
  let changedAt: number | null = null;
  for (const line of journal.toReversed()) {
    const record = await reader.journalEntry(line.change.id);
    const [before, after] = [stateFromJson(record?.before ?? null), stateFromJson(record?.after ?? null)];
    // Here it was begun.
    if (after === null || sameDocument(after.draft, after.published)) break;
    if (!isTheirs(line) || !before?.published || after.published === null) continue;
    base = before.published;
    changedAt ??= line.change.createdAt;
  }
  const lost = base === null ? [] : lostIn(draft, base, published);
  if (lost.length === 0 || changedAt === null) return null;
  const rest = lost.length > MAX_NAMED ? [`${lost.length - MAX_NAMED} more`] : [];
  return `on ${utcTime(changedAt)} (${[...lost.slice(0, MAX_NAMED).map(placeNote), ...rest].join('; ')})`;
}

/** Warns of words that publishing the draft would replace. */
export async function replacedWarning(
  reader: ContentReader,
  entryId: string,
  state: Pick<EntryState, 'draft' | 'published'>,
): Promise<string[]> {
  const words = await replacedWords(reader, entryId, state);
  return words === null
    ? []
    : [`Somebody changed the published text in WordPress ${words}: publishing this draft replaces their words.`];
}

/** Says which words a publication replaced, or would replace. */
export async function replacedNote(reader: ContentReader, { entry, change }: Publication): Promise<string[]> {
  if (change === null || entry.published === null) return [];
  const record = await reader.journalEntry(change.id);
  // Of a dry run nothing is stored.
  const before = record === null ? await reader.entry(entry.id) : stateFromJson(record.before);
  const state = { draft: entry.published, published: before?.published ?? null };
  const words = await replacedWords(reader, entry.id, state, change.revision - 1);
  return words === null
    ? []
    : [
        `What somebody changed in WordPress ${words} of ${quotedTitle(entry.published.title)} is replaced by this: its history has it.`,
      ];
}
