import { checkedNarrative } from '#server/context/check-narrative';
import {
  composeLedgerSummary,
  composeNarrativeSummary,
  composeNote,
  extendNarrative,
  preferencesIn,
  type SummaryFacts,
} from '#server/context/compose-summary';
import { fixedTokens, tokensOfView } from '#server/context/current-tokens';
import { middleRemoval, type Strategy } from '#server/context/strategies';
import { type CompactionPlan, keptBy, rawTokens } from '#server/context/compaction-plan';
import { countTokens } from '#server/context/tokens';
import { buildView } from '#server/context/view';
import type { Message } from '#server/core/conversation/messages';
import type { NewPreference } from '#server/core/conversation/preferences';
import {
  type SummaryJob,
  type WrittenNarrative,
  askModel,
  gatherFacts,
  previousNarrative,
  readSources,
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
  if (written) yield await completeSummary(job, written.plan, written, written.history);
  if (writer !== 'note') {
    const strategy = writer === 'ledger' ? name : 'ledger';
    yield await filled(job, job.plan, (plan, facts) => {
      const text = composeLedgerSummary(facts);
      return candidate(job, { ...withoutModel, plan, text, strategy });
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
 * Fills the view: composes the summary of a plan, and once more with as many of the newest turns word for word as the
 * finished summary leaves tokens for, and with what no further turn fits into.
 */
async function filled(
  job: SummaryJob,
  plan: CompactionPlan,
  compose: (plan: CompactionPlan, facts: SummaryFacts) => Candidate,
  history?: readonly Message[],
): Promise<Candidate> {
  const { strategy, snapshot } = job;
  const sources = await readSources(job, plan.tail[0].seq, history);
  const first = compose(plan, await gatherFacts(job, plan, sources));
  const wider = strategy.plan(snapshot, countTokens(first.text));
  if (!wider) return first;
  const more = rawTokens(keptBy(wider)) - rawTokens(keptBy(plan));
  // No message that stands word for word is given up for a longer summary.
  if (more < 0 || (more === 0 && wider.summaryTokens <= plan.summaryTokens)) return first;
  // It keeps more, so its cut is hardly ever later.
  const isRead = wider.tail[0].seq <= plan.tail[0].seq;
  const second = compose(wider, await gatherFacts(job, wider, isRead ? sources : undefined));
  return second.after <= snapshot.budget.target ? second : first;
}

/**
 * Combines a model's narrative with the current facts that code keeps, because the site may have changed since it was
 * written. Excerpts stand for messages before the cut that the model has not read.
 * @param history messages before the cut, if they were read already
 */
export function completeSummary(
  job: SummaryJob,
  plan: CompactionPlan,
  written: WrittenNarrative,
  history?: readonly Message[],
): Promise<Candidate> {
  const { modelId, changed, until } = written;
  return filled(
    job,
    plan,
    (cut, facts) => {
      // No later summarizer would read these messages: the next one starts after this cut.
      const unread = cut.replaced.filter(({ seq }) => seq >= until);
      const later = changed(facts.journal);
      const known = { ...facts, messages: [...facts.messages, ...facts.kept], later };
      const narrative = extendNarrative(checkedNarrative(written.narrative, known), unread, facts);
      const text = composeNarrativeSummary(narrative, facts, later);
      const wishes = preferencesIn(narrative, facts);
      return candidate(job, { plan: cut, text, narrative, wishes, strategy: job.strategy.name, modelId });
    },
    history,
  );
}
