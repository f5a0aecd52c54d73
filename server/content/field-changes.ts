import { documentField } from '#server/content/entry-document';
import { documentFields, type EntryDocument, type Section } from '#server/core/content';
import type { FieldChange } from '#server/core/changes';
import { isJsonObject, type JsonValue, sameJson } from '#server/core/json';
import { diffArrays } from 'diff';
import { fieldName } from '#server/core/field-names';
import { shortPair, shortTitle } from '#server/core/short-text';

/** Name of the time of a planned publication. */
export const PLAN_FIELD = 'publication planned for';

type Values = Readonly<Record<string, JsonValue | undefined>>;

function kindOf(before: JsonValue | undefined, after: JsonValue | undefined): FieldChange['kind'] {
  if (before === undefined || before === null) return 'added';
  return after === undefined || after === null ? 'removed' : 'changed';
}

function fieldChange(field: string, before: JsonValue | undefined, after: JsonValue | undefined): FieldChange {
  return { field, kind: kindOf(before, after), before: before ?? null, after: after ?? null };
}

/** Items that came, went or changed; where only their order did, both lists by name. */
function listChanges(field: string, before: readonly JsonValue[], after: readonly JsonValue[]): FieldChange[] {
  const changes = pairedItems(before, after).flatMap(([former, latter]): FieldChange[] => {
    const name = `${field} › ${itemName(former ?? latter ?? null)}`;
    if (sameJson(former, latter)) return [];
    return isJsonObject(former) && isJsonObject(latter)
      ? recordChanges(former, latter, `${name} › `)
      : [fieldChange(name, former, latter)];
  });
  return changes.length === 0
    ? [{ field, kind: 'moved', before: before.map(itemName), after: after.map(itemName) }]
    : changes;
}

function isList(value: JsonValue | undefined): value is JsonValue[] {
  return Array.isArray(value) && value.some(isJsonObject);
}

/** Differences between two values; records and lists of records are compared part by part. */
export function valueChanges(field: string, before?: JsonValue, after?: JsonValue): FieldChange[] {
  if (sameJson(before, after)) return [];
  if (isJsonObject(before) && isJsonObject(after)) return recordChanges(before, after, `${field}.`);
  if (Array.isArray(before) && Array.isArray(after) && (isList(before) || isList(after))) {
    return listChanges(field, before, after);
  }
  return [fieldChange(field, before, after)];
}

/** One change for each field that differs, in the order of the fields. */
export function recordChanges(before: Values, after: Values, prefix = ''): FieldChange[] {
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return names.flatMap((name) => valueChanges(`${prefix}${name}`, before[name], after[name]));
}

function documentValues(document: EntryDocument | null): Values {
  return document === null
    ? {}
    : Object.fromEntries(documentFields.map((name) => [name, documentField(document, name)]));
}

function sectionChange(section: Section, kind: 'added' | 'removed'): FieldChange {
  const fields = section.fields;
  return {
    field: `${section.type} section`,
    sectionId: section.id,
    kind,
    before: kind === 'removed' ? fields : null,
    after: kind === 'added' ? fields : null,
  };
}

function positionChanges(before: readonly Section[], after: readonly Section[]): FieldChange[] {
  const [was, is] = [before, after].map((sections) => sections.map(({ id }) => id)) as [string[], string[]];
  return movedOf(was, is).map((id) => ({
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
  const fields = after.flatMap((section): FieldChange[] => {
    const was = former.get(section.id);
    if (was === undefined) return [sectionChange(section, 'added')];
    if (was.type !== section.type) return [sectionChange(was, 'removed'), sectionChange(section, 'added')];
    return recordChanges(was.fields, section.fields, `${section.type} section › `).map((change) => ({
      ...change,
      sectionId: section.id,
    }));
  });
  const removed = before.filter(({ id }) => !latter.has(id)).map((section) => sectionChange(section, 'removed'));
  return [...removed, ...fields, ...positionChanges(before, after)];
}

/**
 * Differences between two states of an entry, field by field, with names for people: `title`, `seo.description`, `faq
 * section › items`. Texts and lists are whole. Added and removed sections carry their fields, moved ones their
 * positions, counted from 1. Null: there is (or was) no such state.
 */
export function documentChanges(before: EntryDocument | null, after: EntryDocument | null): FieldChange[] {
  return [
    ...recordChanges(documentValues(before), documentValues(after)),
    ...sectionChanges(before?.sections ?? [], after?.sections ?? []),
  ];
}

/** Most items that are named; the rest is counted. */
const MAX_NAMED = 3;

/** Name of a list item: its label, question, title or address, or the text itself. */
export function itemName(item: JsonValue): string {
  const value = isJsonObject(item) ? (item['label'] ?? Object.values(item)[0]) : item;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Items of two lists that are the same one: by name, and of those that are left by place. */
function pairedItems(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
): [JsonValue | undefined, JsonValue | undefined][] {
  const left = new Set(before.keys());
  const byName = after.map((item) => {
    const index = before.findIndex((other, at) => left.has(at) && itemName(other) === itemName(item));
    return left.delete(index) ? index : -1;
  });
  const pairs = byName.map((index, at): [JsonValue | undefined, JsonValue | undefined] => {
    const former = index === -1 && left.delete(at) ? at : index;
    return [before[former], after[at]];
  });
  const removed = [...left].map((index): [JsonValue | undefined, undefined] => [before[index], undefined]);
  return [...removed, ...pairs];
}

/** The sections whose move explains the new order of `after`; as many as possible stay where they were. */
function movedOf(before: readonly string[], after: readonly string[]): string[] {
  const [was, is] = [before.filter((id) => after.includes(id)), after.filter((id) => before.includes(id))];
  return diffArrays(was, is).flatMap(({ added, value }) => (added ? value : []));
}

/**
 * Changes of a list in words: `added "Do you ship?" to the FAQ section`, `changed the answer of "Where?" in the FAQ
 * section`.
 * @param list what it is called: `the FAQ section`, `the menu`
 */
export function itemPhrases(before: readonly JsonValue[], after: readonly JsonValue[], list: string): string[] {
  const phrases = pairedItems(before, after).flatMap(([former, latter]) => {
    if (former === undefined) return [`added ${quoted(latter)} to ${list}`];
    if (latter === undefined) return [`removed ${quoted(former)} from ${list}`];
    return sameJson(former, latter) ? [] : changedItem(former, latter, list);
  });
  const moved = phrases.length > 0 ? [] : movedOf(before.map(itemName), after.map(itemName));
  const order = moved.map((name) => `moved "${shortTitle(name)}" to place ${placeOf(name, after)} in ${list}`);
  const all = [...phrases, ...order];
  return all.length <= MAX_NAMED ? all : [...all.slice(0, MAX_NAMED), `${all.length - MAX_NAMED} more in ${list}`];
}

function placeOf(name: string, items: readonly JsonValue[]): number {
  return items.findIndex((item) => itemName(item) === name) + 1;
}

function quoted(item: JsonValue | undefined): string {
  return `"${shortTitle(itemName(item ?? null))}"`;
}

function quotedPair(former: JsonValue, latter: JsonValue): string {
  const [was, is] = shortPair(itemName(former), itemName(latter));
  return `"${was}" to "${is}"`;
}

function changedItem(former: JsonValue, latter: JsonValue, list: string): string[] {
  if (!isJsonObject(former) || !isJsonObject(latter)) {
    return [`changed ${quotedPair(former, latter)} in ${list}`];
  }
  const names = [...new Set([...Object.keys(latter), ...Object.keys(former)])];
  const changed = names.filter((name) => !sameJson(former[name], latter[name]));
  if (changed.length === 1 && changed[0] === 'children') {
    const [was, is] = [former, latter].map(({ children }) => (Array.isArray(children) ? children : []));
    return itemPhrases(was ?? [], is ?? [], `${list} below ${quoted(latter)}`);
  }
  const isRenamed = itemName(former) !== itemName(latter);
  if (isRenamed && changed.length === 1) return [`renamed ${quotedPair(former, latter)} in ${list}`];
  return [`changed the ${changed.map(fieldName).join(' and ')} of ${quoted(former)} in ${list}`];
}
