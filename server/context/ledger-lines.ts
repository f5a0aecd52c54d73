import type { LedgerEntry } from '#server/core/ledger';
import { type LedgerThing, ledgerThings } from '#server/context/ledger-things';
import { countTokens } from '#server/context/tokens';

/** What bounds a ledger's lines. */
export interface LedgerBounds {
  /** Tokens that all lines together may have. */
  readonly tokens: number;
  /** Words that messages which stay in view use; a thing whose id, slug or section is among them is never folded. */
  readonly referredWords: ReadonlySet<string>;
  /** What was changed since then is not folded either, as far as names alone fit. Epoch milliseconds. */
  readonly recentFrom?: number | undefined;
}

/** Set aside for the line that counts what is folded: tokens. */
const FOLD_TOKENS = 40;

/**
 * The ledger as lines, one per thing, the newest change last:
 * `- page "Pricing" (pag_k7m2p9, /pricing, draft): created, updated 3 times; holds hero sec_h4t8w2, faq sec_x9z3c5`.
 *
 * All of them where they fit. Else what is still referred to or recent, the oldest of it by its names alone where there
 * is no room for more, then as much of the rest as fits, the newest first; the oldest, and before them what is gone by
 * now, fold into one first line of counts per kind.
 */
export function ledgerLines(entries: readonly LedgerEntry[], bounds: LedgerBounds): string[] {
  const things = ledgerThings(entries);
  if (sumOf(things, lineTokens) <= bounds.tokens) return things.map(({ line }) => line);

  const newestFirst = things.filter((thing) => !thing.gone).toReversed();
  const pinned = newestWithin(
    newestFirst.filter((thing) => isPinned(thing, bounds)),
    shortTokens,
    bounds.tokens - FOLD_TOKENS,
  );
  // Every pinned thing has its short line for sure; what is left over makes lines whole.
  let left = bounds.tokens - FOLD_TOKENS - sumOf(pinned, shortTokens);
  const shown = new Map(pinned.map((thing) => [thing, thing.shortLine]));
  for (const thing of pinned) {
    const more = lineTokens(thing) - shortTokens(thing);
    if (more > left) continue;
    left -= more;
    shown.set(thing, thing.line);
  }
  const others = newestFirst.filter((thing) => !shown.has(thing));
  for (const thing of newestWithin(others, lineTokens, left)) shown.set(thing, thing.line);
  return [foldLine(things.filter((thing) => !shown.has(thing))), ...things.flatMap((thing) => shown.get(thing) ?? [])];
}

/** Tokens of the whole ledger with nothing folded. */
export function ledgerTokens(entries: readonly LedgerEntry[]): number {
  return sumOf(ledgerThings(entries), lineTokens);
}

function lineTokens({ line }: LedgerThing): number {
  return countTokens(line) + 1;
}

function shortTokens({ shortLine }: LedgerThing): number {
  return countTokens(shortLine) + 1;
}

function sumOf(things: readonly LedgerThing[], tokensOf: (thing: LedgerThing) => number): number {
  return things.reduce((sum, thing) => sum + tokensOf(thing), 0);
}

/** The first things that fit together. */
function newestWithin(
  newestFirst: readonly LedgerThing[],
  tokensOf: (thing: LedgerThing) => number,
  tokens: number,
): LedgerThing[] {
  let left = tokens;
  const end = newestFirst.findIndex((thing) => (left -= tokensOf(thing)) < 0);
  return newestFirst.slice(0, end === -1 ? undefined : end);
}

function isPinned(
  { id, slug, partIds, at }: LedgerThing,
  { referredWords, recentFrom = Infinity }: LedgerBounds,
): boolean {
  const isReferred = [id, slug ?? id, ...partIds].some((name) => referredWords.has(name));
  return isReferred || at >= recentFrom;
}

function foldLine(things: readonly LedgerThing[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of things) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const counted = [...counts].map(([kind, count]) => `${count} ${count === 1 ? kind : plural(kind)}`);
  return `- earlier: ${counted.join(', ')} finished; their ids by search_history`;
}

function plural(kind: string): string {
  return kind.endsWith('s') ? kind : `${kind}s`;
}
