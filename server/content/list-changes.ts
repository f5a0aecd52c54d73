import { diffArrays } from 'diff';
import { fieldName, shortTitle } from '#server/core/change-words';
import { isJsonObject, type JsonValue, sameJson } from '#server/core/json';

/** Most items that are named; the rest is counted. */
const MAX_NAMED = 3;

/** Name of a list item: its label, question, title or address, or the text itself. */
export function itemName(item: JsonValue): string {
  const value = isJsonObject(item) ? (item['label'] ?? Object.values(item)[0]) : item;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Items of two lists that are the same one: by name, and of those that are left by place. */
export function pairedItems(
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

/** Those whose move explains the new order of `after`; as many as possible stay where they were. */
export function movedOf(before: readonly string[], after: readonly string[]): string[] {
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

function changedItem(former: JsonValue, latter: JsonValue, list: string): string[] {
  if (!isJsonObject(former) || !isJsonObject(latter)) {
    return [`changed ${quoted(former)} to ${quoted(latter)} in ${list}`];
  }
  const names = [...new Set([...Object.keys(latter), ...Object.keys(former)])];
  const changed = names.filter((name) => !sameJson(former[name], latter[name]));
  if (changed.length === 1 && changed[0] === 'children') {
    const [was, is] = [former, latter].map(({ children }) => (Array.isArray(children) ? children : []));
    return itemPhrases(was ?? [], is ?? [], `${list} below ${quoted(latter)}`);
  }
  const isRenamed = itemName(former) !== itemName(latter);
  if (isRenamed && changed.length === 1) return [`renamed ${quoted(former)} to ${quoted(latter)} in ${list}`];
  return [`changed the ${changed.map(fieldName).join(' and ')} of ${quoted(former)} in ${list}`];
}
