import { documentField } from '#server/site/entry-document';
import { documentFields, type Entry, type EntryDocument, type Section } from '#server/core/site/content';
import type { ComparedVersion, ComparedVersions, FieldChange } from '#server/core/site/changes';
import { isJsonObject, type JsonValue, sameJson } from '#server/core/json';
import { diffArrays } from 'diff';

/* Differences between two states of a value or an entry, field by field, as people read them in the list of changes. */

/** Field name for the time of a scheduled publication. */
export const SCHEDULE_FIELD = 'publication planned for';

type Values = Readonly<Record<string, JsonValue | undefined>>;

function kindOf(before: JsonValue | undefined, after: JsonValue | undefined): FieldChange['kind'] {
  if (before === undefined || before === null) return 'added';
  return after === undefined || after === null ? 'removed' : 'changed';
}

function fieldChange(field: string, before: JsonValue | undefined, after: JsonValue | undefined): FieldChange {
  return { field, kind: kindOf(before, after), before: before ?? null, after: after ?? null };
}

/**
 * Items that were added, removed or changed, each with its position, and the names of both lists if the order changed.
 * Together they determine the new list.
 */
function listChanges(field: string, before: readonly JsonValue[], after: readonly JsonValue[]): FieldChange[] {
  const { removed, pairs } = pairedItems(before, after);
  const names = (items: readonly JsonValue[]) => items.map(itemName);
  const gone = removed.map((index): FieldChange => ({
    ...fieldChange(`${field} › ${itemName(before[index] ?? null)}`, before[index], undefined),
    position: index + 1,
  }));
  const changed = pairs.flatMap(([from, at]): FieldChange[] => {
    const [former, latter] = [from === null ? undefined : before[from], after[at]];
    const name = `${field} › ${itemName(former ?? latter ?? null)}`;
    if (sameJson(former, latter)) return [];
    const changes =
      isJsonObject(former) && isJsonObject(latter)
        ? recordChanges(former, latter, `${name} › `)
        : [fieldChange(name, former, latter)];
    return changes.map((change) => ({ position: at + 1, ...change }));
  });
  const kept = pairs.flatMap(([from]) => (from === null ? [] : [from]));
  const isMoved = kept.some((from, index) => from < (kept[index - 1] ?? -1));
  const hasNoChange = gone.length + changed.length === 0;
  return [
    ...gone,
    ...changed,
    ...(isMoved || hasNoChange ? [{ field, kind: 'moved' as const, before: names(before), after: names(after) }] : []),
  ];
}

function isList(value: JsonValue | undefined): value is JsonValue[] {
  return Array.isArray(value) && value.some(isJsonObject);
}

/** Differences between two values; records and lists of records are compared part by part. Undefined: no value. */
export function valueChanges(field: string, before?: JsonValue, after?: JsonValue): FieldChange[] {
  if (sameJson(before, after)) return [];
  if (isJsonObject(before) && isJsonObject(after)) return recordChanges(before, after, `${field}.`);
  if (Array.isArray(before) && Array.isArray(after) && (isList(before) || isList(after))) {
    return listChanges(field, before, after);
  }
  return [fieldChange(field, before, after)];
}

/** One change per differing field, in the order of the fields. */
export function recordChanges(before: Values, after: Values, prefix = ''): FieldChange[] {
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return names.flatMap((name) => valueChanges(`${prefix}${name}`, before[name], after[name]));
}

function documentValues(document: EntryDocument | null): Values {
  return document === null
    ? {}
    : Object.fromEntries(documentFields.map((name) => [name, documentField(document, name)]));
}

/** @param index of the section in the list that it was added to or removed from */
function sectionChange(section: Section, kind: 'added' | 'removed', index: number): FieldChange {
  const fields = section.fields;
  return {
    position: index + 1,
    field: `${section.type} section`,
    sectionId: section.id,
    kind,
    before: kind === 'removed' ? fields : null,
    after: kind === 'added' ? fields : null,
  };
}

function positionChanges(before: readonly Section[], after: readonly Section[]): FieldChange[] {
  const [was, is] = [before, after].map((sections) => sections.map(({ id }) => id)) as [string[], string[]];
  return movedIds(was, is).map((id) => ({
    field: `${after[is.indexOf(id)]?.type ?? ''} section`,
    sectionId: id,
    kind: 'moved',
    before: was.indexOf(id) + 1,
    after: is.indexOf(id) + 1,
  }));
}

function sectionChanges(before: readonly Section[], after: readonly Section[]): FieldChange[] {
  const former = new Map(before.map((section) => [section.id, section]));
  const latter = new Map(after.map((section) => [section.id, section]));
  const fields = after.flatMap((section, index): FieldChange[] => {
    const was = former.get(section.id);
    if (was === undefined) return [sectionChange(section, 'added', index)];
    if (was.type !== section.type)
      return [sectionChange(was, 'removed', before.indexOf(was)), sectionChange(section, 'added', index)];
    return recordChanges(was.fields, section.fields, `${section.type} section › `).map((change) => ({
      ...change,
      sectionId: section.id,
    }));
  });
  const removed = before.flatMap((section, index) =>
    latter.has(section.id) ? [] : [sectionChange(section, 'removed', index)],
  );
  return [...removed, ...fields, ...positionChanges(before, after)];
}

/**
 * Differences between two states of an entry, field by field, with readable names: `title`, `seo.description`, `faq
 * section › items`. Texts and lists are whole. Added and removed sections include their fields, moved ones their
 * positions, counted from 1. Null: no such state exists (or existed).
 */
export function documentChanges(before: EntryDocument | null, after: EntryDocument | null): FieldChange[] {
  return [
    ...recordChanges(documentValues(before), documentValues(after)),
    ...sectionChanges(before?.sections ?? [], after?.sections ?? []),
  ];
}

/** Name of a list item: its label, question, title or address, or the text itself. */
export function itemName(item: JsonValue): string {
  const value = isJsonObject(item) ? (item['label'] ?? Object.values(item)[0]) : item;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Pairs of identical items of two lists: matched by name, and the remaining ones by position. Indices of both lists.
 */
export function pairedItems(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
): { readonly removed: readonly number[]; readonly pairs: readonly (readonly [from: number | null, at: number])[] } {
  const left = new Set(before.keys());
  const byName = after.map((item) => {
    const index = before.findIndex((other, at) => left.has(at) && itemName(other) === itemName(item));
    return left.delete(index) ? index : -1;
  });
  const pairs = byName.map((index, at): [number | null, number] => {
    if (index !== -1) return [index, at];
    return [left.delete(at) ? at : null, at];
  });
  return { removed: [...left], pairs };
}

/** The sections whose move explains the new order of `after`; as few as possible. */
export function movedIds(before: readonly string[], after: readonly string[]): string[] {
  const [was, is] = [before.filter((id) => after.includes(id)), after.filter((id) => before.includes(id))];
  return diffArrays(was, is).flatMap(({ added, value }) => (added ? value : []));
}

/** Reads former states of entries. */
interface Versions {
  version(entryId: string, revision: number): Promise<EntryDocument>;
}

/** The document of a version; null: the entry is not published. */
async function documentOf(versions: Versions, entry: Entry, version: ComparedVersion): Promise<EntryDocument | null> {
  if (version === 'published') return entry.published;
  return version === 'draft' ? entry.draft : versions.version(entry.id, version);
}

/** Differences between two versions of an entry, field by field. @throws NotFoundError for an unknown revision */
export async function entryDifferences(
  versions: Versions,
  entry: Entry,
  { from, to }: ComparedVersions,
): Promise<FieldChange[]> {
  return documentChanges(await documentOf(versions, entry, from), await documentOf(versions, entry, to));
}
