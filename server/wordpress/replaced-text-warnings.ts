import { diffWords } from 'diff';
import type { ContentReader } from '#server/site/embedded/content-store';
import { stateFromJson, type EntryVersions } from '#server/site/embedded/entry-state';
import { documentChanges, itemName } from '#server/site/field-changes';
import type { FieldChange, Publication } from '#server/core/site/changes';
import { type EntryDocument, sameDocument } from '#server/core/site/content';
import { shortPair, shortTitle } from '#server/core/text/short-text';
import type { ServerText } from '#server/core/coded-message';
import { fieldText, sectionTypeText } from '#server/core/site/field-names';
import { serverText } from '#server/core/messages/server-text';

/* Warns of texts that were changed in WordPress since a draft was begun: publishing the draft would replace them. */

/** Largest number of places that a note names. A choice, not measured. */
const MAX_NAMED = 3;

/** True if two changes affect the same place, or one affects a part of the other's. */
function isSamePlace(one: FieldChange, other: FieldChange): boolean {
  const isIn = (a: string, b: string) => a === b || a.startsWith(`${b} › `) || a.startsWith(`${b}.`);
  return one.sectionId === other.sectionId && (isIn(one.field, other.field) || isIn(other.field, one.field));
}

/** Limit for comparing two texts, because the time grows with the square of the difference. A choice, not measured. */
const MAX_EDIT_DISTANCE = 1_000;

/** True if a text contains everything that a change to it added, and nothing that the change removed. */
function includesChange(text: unknown, { before, after }: FieldChange): boolean {
  if (typeof text !== 'string' || typeof before !== 'string' || typeof after !== 'string') return false;
  // Beyond the limit `diffWords` returns undefined: the whole new text then counts as added.
  const pieces = diffWords(before, after, { maxEditLength: MAX_EDIT_DISTANCE });
  return (pieces ?? [{ added: true, removed: false, value: after }]).every(({ added, removed, value }) => {
    const words = value.trim();
    return words === '' || !(added || removed) || text.includes(words) === added;
  });
}

/** Changes between two published versions that a draft does not have. */
function changesLostBy(draft: EntryDocument, before: EntryDocument, published: EntryDocument): FieldChange[] {
  const ours = documentChanges(published, draft).filter(({ kind }) => kind !== 'moved');
  return documentChanges(before, published).filter((theirs) => {
    const mine = theirs.kind === 'moved' ? undefined : ours.find((change) => isSamePlace(change, theirs));
    return mine !== undefined && !(mine.field === theirs.field && includesChange(mine.after, theirs));
  });
}

/** The name of a place as `FieldChange` writes it: `faq section › items`, `title`. */
function placeName(field: string): ServerText {
  const [first = '', ...inside] = field.split(' › ');
  const type = /^([a-z-]+) section$/.exec(first)?.[1];
  const named = (part: string) => (/^[a-z][A-Za-z]*$/.test(part) ? fieldText(part) : part);
  const start = type === undefined ? named(first) : serverText('place-section', { section: sectionTypeText(type) });
  return serverText('place-path', { path: [start, ...inside.map(named)] });
}

function placeNote({ field, before, after }: FieldChange): ServerText {
  const [was, is] = shortPair(before === null ? '' : itemName(before), after === null ? '' : itemName(after));
  return serverText('wordpress-changed-place', { field: placeName(field), before: was, after: is });
}

/** Changes that a draft lacks, with the time of the newest, epoch milliseconds. */
interface ReplacedTexts {
  readonly time: number;
  readonly places: readonly ServerText[];
}

/**
 * Changes made in WordPress to published content since a draft was begun that the draft lacks, with their time; null:
 * the draft lacks nothing.
 * @param newest revision up to which the journal counts
 */
async function describeReplacedTexts(
  reader: ContentReader,
  entryId: string,
  { draft, published }: EntryVersions,
  newest = Infinity,
): Promise<ReplacedTexts | null> {
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
    // The draft was begun here.
    if (after === null || sameDocument(after.draft, after.published)) break;
    if (!isTheirs(line) || !before?.published || after.published === null) continue;
    base = before.published;
    changedAt ??= line.change.createdAt;
  }
  const lost = base === null ? [] : changesLostBy(draft, base, published);
  if (lost.length === 0 || changedAt === null) return null;
  const rest = lost.length - MAX_NAMED;
  const more = rest > 0 ? [serverText('wordpress-text-at-risk-more', { count: rest })] : [];
  return { time: changedAt, places: [...lost.slice(0, MAX_NAMED).map(placeNote), ...more] };
}

/** Warns of text that publishing the draft would replace. */
export async function replacedWarning(
  reader: ContentReader,
  entryId: string,
  state: EntryVersions,
): Promise<ServerText[]> {
  const replaced = await describeReplacedTexts(reader, entryId, state);
  return replaced === null ? [] : [serverText('wordpress-text-at-risk', { ...replaced })];
}

/** Notes on text that a publication replaced, or would replace. */
export async function replacedNote(reader: ContentReader, { entry, change }: Publication): Promise<ServerText[]> {
  if (change === null || entry.published === null) return [];
  const record = await reader.journalEntry(change.id);
  // A dry run stores nothing.
  const before = record === null ? await reader.entry(entry.id) : stateFromJson(record.before);
  const state = { draft: entry.published, published: before?.published ?? null };
  const replaced = await describeReplacedTexts(reader, entry.id, state, change.revision - 1);
  const title = shortTitle(entry.published.title);
  return replaced === null ? [] : [serverText('wordpress-text-replaced', { title, ...replaced })];
}
