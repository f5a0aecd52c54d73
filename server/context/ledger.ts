import { oneLine } from '#server/context/excerpt';
import { type CountTokens, countTokens, newestWithin } from '#server/context/tokens';
import type { LedgerEntry } from '#server/core/compactions';

/** Bounds of a ledger's lines. */
export interface LedgerBounds {
  /** Tokens that all lines together may have. */
  readonly tokens: number;
  /**
   * Words that messages which stay in view use; a thing whose id, slug or section is among them is never folded. Asked
   * for only where something has to be: reading every message takes long.
   */
  readonly referredWords: () => ReadonlySet<string>;
  /** Changes made since then are not folded either, as far as names alone fit. Epoch milliseconds. */
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

const MAX_TITLE_CHARS = 80;

/** One thing that was worked on, all its changes merged. */
export interface LedgerThing {
  readonly kind: string;
  readonly id: string;
  readonly slug: string | null;
  readonly title: string;
  /** It is no more; nothing later can refer to it. */
  readonly gone: boolean;
  readonly partIds: readonly string[];
  /** When it was changed last; epoch milliseconds. */
  readonly at: number;
  /** The thing as one line of the ledger. */
  readonly line: string;
  /** Its names alone, where there is no room for more. */
  readonly shortLine: string;
}

/** Things by their newest change, the newest last. Changes that were taken back are left out. */
function ledgerThings(entries: readonly LedgerEntry[]): LedgerThing[] {
  const things = new Map<string, LedgerEntry[]>();
  for (const entry of entries.toSorted((a, b) => a.at - b.at)) {
    const key = `${entry.kind} ${entry.id}`;
    const changes = things.get(key) ?? [];
    things.delete(key);
    things.set(key, [...changes, entry]);
  }
  return [...things.values()].flatMap(thingOf);
}

const PAST: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'updated',
  publish: 'published',
  unpublish: 'unpublished',
  schedule: 'publication planned',
  delete: 'deleted',
};

function thingOf(changes: readonly LedgerEntry[]): LedgerThing[] {
  const newest = changes.at(-1);
  const standing = changes.filter((change) => !change.undone && change.action !== 'undo');
  if (!newest || (standing.length === 0 && newest.state === undefined)) return [];
  const { kind, id, slug, title, state, parts = [] } = newest;
  const gone = state === 'deleted' || (state === undefined && newest.action === 'delete');
  const names = [id === kind ? '' : id, slug === null ? '' : `/${slug}`, gone ? '' : (state ?? '')].filter(Boolean);
  const named = id === kind ? kind : `${kind} "${oneLine(title, MAX_TITLE_CHARS)}"`;
  const sections =
    parts.length === 0 || gone ? '' : `; holds ${parts.map((part) => `${part.type} ${part.id}`).join(', ')}`;
  const line = `- ${named}${names.length === 0 ? '' : ` (${names.join(', ')})`}: ${stepsOf(standing, gone)}${sections}`;
  const shortLine = `- ${kind} ${id}${slug === null ? '' : `, /${slug}`}`;
  const partIds = gone ? [] : parts.map((part) => part.id);
  return [{ kind, id, slug, title, gone, partIds, at: newest.at, line, shortLine }];
}

/** Changes of one kind in a row are counted, not repeated; what has no name of its own tells its newest change. */
function stepsOf(changes: readonly LedgerEntry[], gone: boolean): string {
  const steps: { word: string; count: number }[] = [];
  for (const { action } of changes) {
    const word = PAST[action] ?? action;
    const last = steps.at(-1);
    if (last?.word === word) last.count += 1;
    else steps.push({ word, count: 1 });
  }
  const newest = changes.at(-1);
  if (gone && newest?.action !== 'delete') steps.push({ word: 'gone by now', count: 1 });
  const done = steps.map(({ word, count }) => (count === 1 ? word : `${word} ${count} times`)).join(', ');
  if (newest?.slug === null && newest.summary !== '') return `${done}; newest: ${newest.summary}`;
  return done === '' ? 'its changes were undone' : done;
}
