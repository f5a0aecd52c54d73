import type { ContentTransaction, JournalLine } from '#server/site/embedded/content-store';
import { entryTypes } from '#server/core/site/content';
import type { ChangeSet } from '#server/core/site/changes';
import { isJsonObject, type JsonValue, sameJson } from '#server/core/json';
import { pathsOf, pathsOverlap, WHOLE_TARGET } from '#server/site/document-paths';
import { comparableText } from '#server/site/text/comparable-text';

/**
 * A change, the undo of it, the undo of that undo, and so on, in the order of the journal: each reverses the one before
 * it, so that two neighbours cancel each other out. A whole journal is a set of such chains.
 */
export type ChangeChain = readonly [JournalLine, ...JournalLine[]];

/** The journal of one target as chains, oldest first. */
export function chainsOf(journal: readonly JournalLine[]): ChangeChain[] {
  // Journals older than `undoes` only record which changes are undone.
  const undoneBy = new Map(journal.map(({ change }) => [change.undoneBy, change.id]));
  const chains = new Map<string, [JournalLine, ...JournalLine[]]>();
  for (const line of journal) {
    const chain = chains.get(line.undoes ?? undoneBy.get(line.change.id) ?? '');
    chain?.push(line);
    chains.set(line.change.id, chain ?? [line]);
  }
  return [...new Set(chains.values())];
}

/** The newest change of a chain: the one that an undo reverses. */
export function tailOf(chain: ChangeChain): JournalLine {
  return chain.at(-1) ?? chain[0];
}

/** True if the change at `index` is in effect. */
export function isInEffectAt(chain: ChangeChain, index: number): boolean {
  return (chain.length - 1 - index) % 2 === 0;
}

/** Names of the top-level fields that differ; a single name for the whole value if it has no fields. */
function changedNames(before: JsonValue, after: JsonValue): string[] {
  if (!isJsonObject(before) || !isJsonObject(after)) return ['value'];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !sameJson(before[name], after[name]),
  );
}

/** Path of an item in the standing instructions; a glossary entry is identified by its term, not its meaning. */
function itemPath(list: string, item: JsonValue): string {
  const name = isJsonObject(item) ? item['term'] : item;
  return `${list}:${comparableText(JSON.stringify(name))}`;
}

/** Names of the differing fields, as in `changedNames`; for a list, the items that are not in both. */
function changedItems(before: JsonValue, after: JsonValue): string[] {
  return changedNames(before, after).flatMap((name) => {
    const [former, latter] = [before, after].map((value) => (isJsonObject(value) ? value[name] : undefined));
    if (!Array.isArray(former) || !Array.isArray(latter)) return [name];
    const lacks = (items: readonly JsonValue[]) => (item: JsonValue) => items.every((other) => !sameJson(item, other));
    return [...former.filter(lacks(latter)), ...latter.filter(lacks(former))].map((item) => itemPath(name, item));
  });
}

/** Paths (`document-paths`) that the changes of a chain touch; all changes of a chain touch the same. */
export function touchedPaths([{ change, existence, publication, plan, before, after }]: ChangeChain): string[] {
  if (existence) return [WHOLE_TARGET];
  if (entryTypes.some((type) => type === change.targetType)) {
    return [...pathsOf(change.operations), ...(publication ? ['published'] : []), ...(plan ? ['publishAt'] : [])];
  }
  return change.targetType === 'standing-instructions' ? changedItems(before, after) : changedNames(before, after);
}

/** The change of a later chain to name as the reason why an earlier chain cannot be undone. */
function blocker(chain: ChangeChain, later: readonly JournalLine[]): ChangeSet {
  const isWholeChain = later.length === chain.length;
  return isWholeChain ? chain[0].change : tailOf(chain).change;
}

/**
 * The later changes to the same target that undoing the newest change of `chain` would lose, one for each chain. A later
 * change that was itself undone does not count.
 * @param all the chains of the target's whole journal
 */
export function blockersOf(chain: ChangeChain, all: readonly ChangeChain[]): ChangeSet[] {
  const { seq } = tailOf(chain);
  const touched = touchedPaths(chain);
  return all.flatMap((other) => {
    const later = other.filter((line) => line.seq > seq);
    const leavesNothing = other === chain || later.length % 2 === 0;
    return leavesNothing || !pathsOverlap(touched, touchedPaths(other)) ? [] : [blocker(other, later)];
  });
}

/**
 * What undoing the newest change of `chain` does, for its summary: it undoes a change, or undoes an undo
 * (`isUndo`), so that a change is in effect again.
 */
export function undoneSubject(chain: ChangeChain): {
  readonly isUndo: boolean;
  readonly change: ChangeSet;
} {
  const last = chain.length - 1;
  const isChange = (index: number) => chain[index]?.change.action !== 'undo';
  const standing = chain.findLastIndex((_, index) => isChange(index) && isInEffectAt(chain, index));
  const undone = chain.findLastIndex((_, index) => isChange(index) && !isInEffectAt(chain, index));
  const isUndo = !isChange(last) && undone > standing;
  const index = isUndo ? undone : standing;
  return { isUndo, change: (chain[index] ?? chain[0]).change };
}

/** Links an undo to the newest change of a chain, and marks which changes of the chain are now in effect. */
export async function linkUndo(tx: ContentTransaction, chain: ChangeChain, undo: ChangeSet): Promise<void> {
  await tx.setUndoes(undo.id, tailOf(chain).change.id);
  await tx.setUndoneBy(tailOf(chain).change.id, undo.id);
  for (const [index, { change }] of chain.slice(0, -1).entries()) {
    if (change.action === 'undo') continue;
    await tx.setUndoneBy(change.id, isInEffectAt(chain, index) ? undo.id : null);
  }
}
