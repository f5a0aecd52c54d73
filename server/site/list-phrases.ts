import { isJsonObject, type JsonValue, sameJson } from '#server/core/json';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { fieldText } from '#server/core/site/field-names';
import { shortPair, shortTitle } from '#server/core/text/short-text';
import { itemName, movedIds, pairedItems } from '#server/site/field-changes';

/** Largest number of items that are named; the others are only counted. */
const MAX_NAMED = 3;

/**
 * Changes of a list as parts of a sentence: `added "Do you ship?" to the FAQ section`, `changed the answer of "Where?" in
 * the FAQ section`.
 * @param list name of the list: `the FAQ section`, `the menu`
 * @param isStart true if the first part begins the sentence
 */
export function itemPhrases(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  list: ServerText,
  isStart: boolean,
): ServerText[] {
  const phrases = itemChanges(before, after, list);
  return phrases.map((phrase, index) => phrase(isStart && index === 0));
}

/** A part of a sentence, which may begin it. */
type Phrase = (isStart: boolean) => ServerText;

function itemChanges(before: readonly JsonValue[], after: readonly JsonValue[], list: ServerText): Phrase[] {
  const { removed, pairs } = pairedItems(before, after);
  const items: [JsonValue | undefined, JsonValue | undefined][] = [
    ...removed.map((index): [JsonValue | undefined, undefined] => [before[index], undefined]),
    ...pairs.map(([from, at]): [JsonValue | undefined, JsonValue | undefined] => [
      from === null ? undefined : before[from],
      after[at],
    ]),
  ];
  const phrases = items.flatMap(([former, latter]): Phrase[] => {
    if (former === undefined)
      return [(isStart) => serverText('journal-part-added-item', { isStart, item: titleOf(latter), list })];
    if (latter === undefined)
      return [(isStart) => serverText('journal-part-removed-item', { isStart, item: titleOf(former), list })];
    return sameJson(former, latter) ? [] : changedItem(former, latter, list);
  });
  const moved = phrases.length > 0 ? [] : movedIds(before.map(itemName), after.map(itemName));
  const order = moved.map((name): Phrase => {
    const values = { item: shortTitle(name), position: placeOf(name, after), list };
    return (isStart) => serverText('journal-part-moved-item', { isStart, ...values });
  });
  const all = [...phrases, ...order];
  if (all.length <= MAX_NAMED) return all;
  const rest = serverText('journal-part-more-items', { count: all.length - MAX_NAMED, list });
  return [...all.slice(0, MAX_NAMED), () => rest];
}

function placeOf(name: string, items: readonly JsonValue[]): number {
  return items.findIndex((item) => itemName(item) === name) + 1;
}

function titleOf(item: JsonValue | undefined): string {
  return shortTitle(itemName(item ?? null));
}

function changedItem(former: JsonValue, latter: JsonValue, list: ServerText): Phrase[] {
  const [beforeName, afterName] = shortPair(itemName(former), itemName(latter));
  const names = { before: beforeName, after: afterName, list };
  if (!isJsonObject(former) || !isJsonObject(latter)) {
    return [(isStart) => serverText('journal-part-changed-item', { isStart, ...names })];
  }
  const fieldNames = [...new Set([...Object.keys(latter), ...Object.keys(former)])];
  const changed = fieldNames.filter((name) => !sameJson(former[name], latter[name]));
  if (changed.length === 1 && changed[0] === 'children') {
    const [was, is] = [former, latter].map(({ children }) => (Array.isArray(children) ? children : []));
    return itemChanges(was ?? [], is ?? [], serverText('journal-list-below', { list, item: titleOf(latter) }));
  }
  const isRenamed = itemName(former) !== itemName(latter);
  if (isRenamed && changed.length === 1)
    return [(isStart) => serverText('journal-part-renamed-item', { isStart, ...names })];
  const fields = changed.map(fieldText);
  return [(isStart) => serverText('journal-part-item-fields', { isStart, fields, item: titleOf(former), list })];
}
