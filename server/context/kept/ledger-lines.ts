import type { LedgerEntry } from '#server/core/ledger';
import { type LedgerThing, ledgerThings } from '#server/context/kept/ledger-things';
import { newestWithin } from '#server/context/summary/newest-within';
import { type CountTokens, countTokens } from '#server/context/tokens';

/** What bounds a ledger's lines. */
export interface LedgerBounds {
  /** Tokens that all lines together may have. */
  readonly tokens: number;
  /**
   * Words that messages which stay in view use; a thing whose id, slug or section is among them is never folded. Asked
   * for only where something has to be: reading every message takes long.
   */
  readonly referredWords: () => ReadonlySet<string>;
  /** What was changed since then is not folded either, as far as names alone fit. Epoch milliseconds. */
  readonly recentFrom?: number | undefined;
  /** Default: in the stored vocabulary. */
  readonly count?: CountTokens | undefined;
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
  const { tokens, count = countTokens, recentFrom = Infinity } = bounds;
  const lineTokens = ({ line }: LedgerThing) => count(line) + 1;
  const shortTokens = ({ shortLine }: LedgerThing) => count(shortLine) + 1;
  const things = ledgerThings(entries);
  if (things.length === 0) return [];
  if (sumOf(things, lineTokens) <= tokens) return things.map(({ line }) => line);

  const present = things.filter((thing) => !thing.gone);
  const words = bounds.referredWords();
  const isPinned = (thing: LedgerThing) => thing.at >= recentFrom || isReferred(thing, words);
  const pinned = newestWithin(present.filter(isPinned), tokens - FOLD_TOKENS, shortTokens);
  // Every pinned thing has its short line for sure; what is left over makes lines whole.
  let left = tokens - FOLD_TOKENS - sumOf(pinned, shortTokens);
  const shown = new Map(pinned.map((thing) => [thing, thing.shortLine]));
  for (const thing of pinned.toReversed()) {
    const more = lineTokens(thing) - shortTokens(thing);
    if (more > left) continue;
    left -= more;
    shown.set(thing, thing.line);
  }
  const others = present.filter((thing) => !shown.has(thing));
  for (const thing of newestWithin(others, left, lineTokens)) shown.set(thing, thing.line);
  return [foldLine(things.filter((thing) => !shown.has(thing))), ...things.flatMap((thing) => shown.get(thing) ?? [])];
}

/** Tokens of the whole ledger with nothing folded. */
export function ledgerTokens(entries: readonly LedgerEntry[]): number {
  return sumOf(ledgerThings(entries), ({ line }) => countTokens(line) + 1);
}

function sumOf(things: readonly LedgerThing[], tokensOf: (thing: LedgerThing) => number): number {
  return things.reduce((sum, thing) => sum + tokensOf(thing), 0);
}

function isReferred({ id, slug, partIds }: LedgerThing, words: ReadonlySet<string>): boolean {
  return [id, slug ?? id, ...partIds].some((name) => words.has(name));
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
