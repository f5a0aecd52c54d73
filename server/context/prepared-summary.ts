import type { ContextSnapshot } from '#server/context/context-snapshot';
import type { CompactionPlan } from '#server/context/plan-compaction';
import type { Strategy } from '#server/context/strategies';
import { verbatimMessages } from '#server/context/view';
import type { LedgerEntry } from '#server/core/compactions';
import type { Usage } from '#server/core/messages';

/** The plan of a background summary, by ids alone: many sessions may have one waiting. */
export interface PreparedPlan {
  readonly strategy: string;
  /** The summary it continues; it is of no use once another compaction came between. */
  readonly previousSummaryId: string | null;
  readonly firstKeptId: string;
  readonly keptBefore: readonly string[];
  readonly replaced: readonly string[];
  readonly keptAfter: readonly string[];
  readonly summaryTokens: number;
  readonly cutsTurn: boolean;
}

/**
 * What a model told while the user read, waiting to be needed. What code keeps is put around it then, as things stand
 * then.
 */
export interface PreparedSummary extends PreparedPlan {
  readonly narrative: string;
  readonly modelId: string;
  readonly usage: Usage | null;
  /** The journal as it was when the model was asked. */
  readonly known: KnownJournal;
}

/** What tells whether a journal has changed: the time of its newest change, and the changes that were undone. */
export interface KnownJournal {
  readonly newest: number;
  readonly undone: ReadonlySet<string>;
}

/** Notes how a journal stands. */
export function knownJournal(journal: readonly LedgerEntry[]): KnownJournal {
  const newest = journal.reduce((latest, { at }) => Math.max(latest, at), 0);
  return { newest, undone: new Set(journal.filter(({ undone }) => undone).map(keyOf)) };
}

/** Names of the things that were changed since, by whatever did it, or of which a change was undone since. */
export function changedSince({ newest, undone }: KnownJournal, journal: readonly LedgerEntry[]): string[] {
  const changed = journal.filter((change) => change.at > newest || (change.undone && !undone.has(keyOf(change))));
  return [...new Set(changed.map(({ id }) => id))];
}

function keyOf({ id, at, action }: LedgerEntry): string {
  return `${id} ${at} ${action}`;
}

/** Reduces a plan to its ids. */
export function prepared(strategy: Strategy, snapshot: ContextSnapshot, plan: CompactionPlan): PreparedPlan {
  const ids = (messages: readonly { readonly id: string }[]) => messages.map(({ id }) => id);
  return {
    strategy: strategy.name,
    previousSummaryId: snapshot.stored.summary?.id ?? null,
    firstKeptId: plan.tail[0].id,
    keptBefore: ids(plan.keptBefore),
    replaced: ids(plan.replaced),
    keptAfter: ids(plan.keptAfter),
    summaryTokens: plan.summaryTokens,
    cutsTurn: plan.cutsTurn,
  };
}

/**
 * The plan for the session as it stands now, with everything said since in its tail, however much that is. Null when
 * something that it covers has changed, or another compaction came between.
 */
export function planNow(
  { previousSummaryId, firstKeptId, keptBefore, replaced, keptAfter, summaryTokens, cutsTurn }: PreparedPlan,
  { stored }: ContextSnapshot,
): CompactionPlan | null {
  if ((stored.summary?.id ?? null) !== previousSummaryId) return null;
  const cut = stored.messages.findIndex(({ id }) => id === firstKeptId);
  const [first, ...rest] = cut === -1 ? [] : stored.messages.slice(cut);
  if (!first) return null;
  const before = verbatimMessages({ ...stored, messages: stored.messages.slice(0, cut) });
  const head = new Map(before.map((message) => [message.id, message]));
  const covered = [...keptBefore, ...replaced, ...keptAfter];
  if (covered.length !== head.size || !covered.every((id) => head.has(id))) return null;
  const find = (ids: readonly string[]) => ids.flatMap((id) => head.get(id) ?? []);
  return {
    keptBefore: find(keptBefore),
    replaced: find(replaced),
    keptAfter: find(keptAfter),
    tail: [first, ...rest],
    summaryTokens,
    cutsTurn,
  };
}

export interface Bill {
  readonly sessionId: string;
  readonly strategy: string;
  readonly tokensBefore: number;
  readonly modelId: string;
  readonly contextWindow: number;
  readonly durationMs: number;
  readonly usage: Usage | null;
}

/** A summary that was paid for, and what is recorded of it should it be dropped. */
export interface Waiting {
  readonly summary: PreparedSummary;
  readonly bill: Bill;
}

/** Result of looking for a prepared summary. */
export type PreparedLookup =
  | { readonly kind: 'ready'; readonly plan: CompactionPlan; readonly waiting: Waiting }
  /** It has to have its own written. */
  | { readonly kind: 'none' }
  /** It has waited for one, and its model failed: asking again would wait once more. */
  | { readonly kind: 'failed' };
