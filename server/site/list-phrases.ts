import { isJsonObject, type JsonValue, sameJson } from '#server/core/json';
import { fieldName } from '#server/core/site/field-names';
import { shortPair, shortTitle } from '#server/core/text/short-text';
import { itemName, movedIds, pairedItems } from '#server/site/field-changes';

/** Largest number of items that are named; the others are only counted. */
const MAX_NAMED = 3;

/**
 * Changes of a list as phrases: `added "Do you ship?" to the FAQ section`, `changed the answer of "Where?" in the FAQ
 * section`.
 * @param list name of the list: `the FAQ section`, `the menu`
 */
export function itemPhrases(before: readonly JsonValue[], after: readonly JsonValue[], list: string): string[] {
  const { removed, pairs } = pairedItems(before, after);
  const items: [JsonValue | undefined, JsonValue | undefined][] = [
    ...removed.map((index): [JsonValue | undefined, undefined] => [before[index], undefined]),
    ...pairs.map(([from, at]): [JsonValue | undefined, JsonValue | undefined] => [
      from === null ? undefined : before[from],
      after[at],
    ]),
  ];
  const phrases = items.flatMap(([former, latter]) => {
    if (former === undefined) return [`added ${quoted(latter)} to ${list}`];
    if (latter === undefined) return [`removed ${quoted(former)} from ${list}`];
    return sameJson(former, latter) ? [] : changedItem(former, latter, list);
  });
  const moved = phrases.length > 0 ? [] : movedIds(before.map(itemName), after.map(itemName));
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
