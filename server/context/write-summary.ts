import {
  composeLedgerSummary,
  composeNarrativeSummary,
  composeNote,
  extendNarrative,
  preferencesIn,
} from '#server/context/compose-summary';
import { fixedTokens, tokensOfView } from '#server/context/current-tokens';
import { middleRemoval, type Strategy } from '#server/context/strategies';
import { type CompactionPlan, extendTail } from '#server/context/compaction-plan';
import { countTokens } from '#server/context/tokens';
import { reconcileNarrative } from '#server/context/reconcile-narrative';
import { buildView } from '#server/context/view';
import type { NewPreference } from '#server/core/conversation/preferences';
import type { Message } from '#server/core/conversation/messages';
import {
  type SummaryJob,
  type WrittenNarrative,
  askModel,
  gatherFacts,
  previousNarrative,
} from '#server/context/ask-summarizer';

/** A finished summary and its plan. */
export interface Candidate {
  readonly plan: CompactionPlan;
  readonly text: string;
  /**
   * The model's narrative in this summary, or else the narrative of the previous summary: the next one continues it.
   */
  readonly narrative: string | null;
  /** Preferences that the narrative quotes and that are not stored yet. */
  readonly wishes: readonly NewPreference[];
  /** The strategy that produced it: the selected one, or a fallback. */
  readonly strategy: Strategy['name'];
  readonly modelId: string | null;
  /** Tokens of the view with this summary, measured as the view will be. */
  readonly after: number;
}

/** A summary with the size of its view. */
function candidate({ snapshot: { target } }: SummaryJob, made: Omit<Candidate, 'after'>): Candidate {
  const { keptBefore: leading, keptAfter: kept, tail: messages } = made.plan;
  const shown = { leading, summary: null, kept, messages };
  const view = buildView(shown, target.modelId, target.acceptsImages, { id: null, text: made.text });
  return { ...made, after: fixedTokens(target) + tokensOfView(view, target) };
}

/** Free tokens below which a view is not filled further: a turn rarely has fewer. A choice, not measured. */
const LEAST_REFILL = 100;

/**
 * Fills the view up to its target: if the summary became smaller than it was planned, more of the newest turns stay word
 * for word.
 * @param compose composes the summary for a plan
 */
async function filled(
  job: SummaryJob,
  plan: CompactionPlan,
  compose: (plan: CompactionPlan) => Promise<Omit<Candidate, 'after'>>,
): Promise<Candidate> {
  const { stored, budget, target, measured } = job.snapshot;
  const first = candidate(job, await compose(plan));
  // Whoever compacts a small view wants to free tokens.
  const isFull = measured.estimatedTotal > budget.target;
  const free = job.strategy.fillsView && isFull ? (budget.target - first.after) / target.tokenFactor : 0;
  const extended = free < LEAST_REFILL ? plan : extendTail(stored, plan, free);
  if (extended.tail.length === plan.tail.length) return first;
  // What the record gains by the shorter list of turns must not fill the view twice.
  const summaryTokens = Math.min(plan.summaryTokens, countTokens(first.text));
  return candidate(job, await compose({ ...extended, summaryTokens }));
}

/**
 * Generates summaries for a compaction, best first: the strategy's own, then the ledger's, then middle removal. The
 * caller takes the first that gains enough. If a summarizer fails, the next candidate follows; an abort is thrown.
 */
export async function* writeCandidates(job: SummaryJob): AsyncGenerator<Candidate> {
  const { name, writer } = job.strategy;
  const withoutModel = { narrative: previousNarrative(job), wishes: [], modelId: null };
  const written = await askModel(job);
  if (written) yield await completeSummary(job, written.plan, written);
  if (writer !== 'note') {
    const strategy = writer === 'ledger' ? name : 'ledger';
    yield await filled(job, job.plan, async (plan) => {
      return { ...withoutModel, plan, text: composeLedgerSummary(await gatherFacts(job, plan)), strategy };
    });
  }
  const plan = writer === 'note' ? job.plan : middleRemoval.plan(job.snapshot);
  if (!plan) return;
  const facts = await gatherFacts(job, plan);
  // Counts all messages that were removed, in earlier rounds too.
  const text = composeNote(facts, facts.messages.length - plan.keptBefore.length - plan.keptAfter.length);
  yield candidate(job, { ...withoutModel, plan, text, strategy: writer === 'note' ? name : middleRemoval.name });
}

/**
 * Combines a model's narrative with the current facts that code keeps, because the site may have changed since it was
 * written.
 * @param since messages before the cut that the model has not read
 */
export async function completeSummary(
  job: SummaryJob,
  plan: CompactionPlan,
  written: WrittenNarrative,
  since: readonly Message[] = [],
): Promise<Candidate> {
  const { modelId, changed } = written;
  return filled(job, plan, async (filledPlan) => {
    const facts = await gatherFacts(job, filledPlan);
    // No later summarizer would read these messages: the next one starts after this cut.
    const later = changed(facts.journal);
    const isKnown = (name: string) => facts.messages.some((message) => JSON.stringify(message.parts).includes(name));
    const checked = reconcileNarrative(written.narrative, { ...facts, later, isKnown });
    const narrative = extendNarrative(checked, since, facts);
    const text = composeNarrativeSummary(narrative, facts, later);
    const wishes = preferencesIn(narrative, facts);
    return { plan: filledPlan, text, narrative, wishes, strategy: job.strategy.name, modelId };
  });
}
