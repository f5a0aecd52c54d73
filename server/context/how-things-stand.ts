import { oneLine } from '#server/context/excerpt';
import { shown } from '#server/context/record';
import { type CountTokens, newestWithin } from '#server/context/tokens';
import type { LedgerEntry, Thing, ThingRef } from '#server/core/compactions';

/** Every request has them in its instructions. */
const STANDING = 'standing-instructions';

/** The things that a journal tells of, each once, by their newest change, the newest last. */
export function touchedThings(journal: readonly LedgerEntry[]): ThingRef[] {
  const things = new Map<string, ThingRef>();
  for (const { kind, id, slug, title } of journal.toSorted((a, b) => a.at - b.at)) {
    if (kind === STANDING) continue;
    const key = `${kind} ${id}`;
    things.delete(key);
    things.set(key, { kind, id, slug, title });
  }
  return [...things.values()];
}

/** Notes how a journal stands: its changes, and which of them were undone. */
export function knownJournal(journal: readonly LedgerEntry[]): ReadonlySet<string> {
  return new Set(journal.map(keyOf));
}

/** Names of the things that were changed since, by whatever did it, or of which a change was undone since. */
export function changedSince(known: ReadonlySet<string>, journal: readonly LedgerEntry[]): string[] {
  return [...new Set(journal.filter((change) => !known.has(keyOf(change))).map(({ id }) => id))];
}

function keyOf({ id, at, action, undone }: LedgerEntry): string {
  return `${id} ${at} ${action} ${undone}`;
}

/** Set aside for the line that counts what is folded: tokens. */
const FOLD_TOKENS = 40;
const MAX_TITLE_CHARS = 80;
const MAX_DETAIL_CHARS = 600;

/**
 * The things as lines within a budget of tokens: `- page "Pricing" (pag_k7m2p9, /pricing, draft): hero sec_h4t8w2`.
 * What there is no room for is counted by kind: what is gone by now, then what was changed the longest ago.
 */
export function thingLines(things: readonly Thing[], tokens: number, count: CountTokens): string[] {
  const inOrder = [...things.filter(isGone), ...things.filter((thing) => !isGone(thing))];
  const fitting = new Set(newestWithin(inOrder, tokens - FOLD_TOKENS, (thing) => count(lineOf(thing)) + 1));
  const folded = things.filter((thing) => !fitting.has(thing));
  const lines = things.filter((thing) => fitting.has(thing)).map(lineOf);
  return folded.length === 0 || tokens < FOLD_TOKENS ? lines : [foldLine(folded), ...lines];
}

const isGone = ({ state }: Thing) => state === 'deleted';

function lineOf(thing: Thing): string {
  const { kind, id, title, path, state, parts = [], detail, isLastKnown } = thing;
  const named = id === kind ? kind : `${kind} "${oneLine(title, MAX_TITLE_CHARS)}"`;
  const facts = [id === kind ? null : id, isGone(thing) ? null : path, state, isLastKnown ? 'as last known' : null];
  const inBrackets = facts.filter((fact) => fact !== null && fact !== undefined && fact !== '').join(', ');
  const holds = detail ?? parts.map(({ type, id: partId }) => `${type} ${partId}`).join(', ');
  return shown(`- ${named}${inBrackets && ` (${inBrackets})`}${holds && `: ${oneLine(holds, MAX_DETAIL_CHARS)}`}`);
}

function foldLine(things: readonly Thing[]): string {
  const counted = [...Map.groupBy(things, ({ kind }) => kind)].map(
    ([kind, of]) => `${of.length} ${of.length === 1 || kind.endsWith('s') ? kind : `${kind}s`}`,
  );
  return `- earlier: ${counted.join(', ')}; their ids by search_history`;
}
