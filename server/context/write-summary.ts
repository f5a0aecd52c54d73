import {
  composeLedgerSummary,
  composeNarrativeSummary,
  composeNote,
  extendNarrative,
  preferencesIn,
} from '#server/context/compose-summary';
import { fixedTokens, tokensOfView } from '#server/context/current-tokens';
import { middleRemoval, type Strategy } from '#server/context/strategies';
import type { CompactionPlan } from '#server/context/compaction-plan';
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
interface FinishedSummary {
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
}

/** A summary with the size of its view. */
export interface Candidate extends FinishedSummary {
  /** Tokens of the view with this summary, measured as the view will be. */
  readonly after: number;
}

function candidate({ snapshot: { target } }: SummaryJob, made: FinishedSummary): Candidate {
  const { keptBefore: leading, keptAfter: kept, tail: messages } = made.plan;
  const shown = { leading, summary: null, kept, messages };
  const view = buildView(shown, target.modelId, target.acceptsImages, { id: null, text: made.text });
  return { ...made, after: fixedTokens(target) + tokensOfView(view, target) };
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
    const text = composeLedgerSummary(await gatherFacts(job, job.plan));
    yield candidate(job, { ...withoutModel, plan: job.plan, text, strategy: writer === 'ledger' ? name : 'ledger' });
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
  const facts = await gatherFacts(job, plan);
  // No later summarizer would read these messages: the next one starts after this cut.
  const narrative = extendNarrative(written.narrative, since, facts);
  const text = composeNarrativeSummary(narrative, facts, changed(facts.journal));
  const wishes = preferencesIn(narrative, facts);
  return candidate(job, { plan, text, narrative, wishes, strategy: job.strategy.name, modelId });
}
