import type { Message, Usage } from '#server/core/messages';
import { checkNarrative } from '#server/context/check-narrative';
import { composeNote } from '#server/context/compose-note';
import { composeLedgerSummary, composeNarrativeSummary, type SummaryFacts } from '#server/context/compose-summary';
import type { CompactionPlan } from '#server/context/plan-compaction';
import type { Summarizer, SummaryAnswer } from '#server/context/ports';
import { applyPrunedConversation } from '#server/context/pruned-conversation';
import { renderTranscript, withSummarySoFar } from '#server/context/render-transcript';
import type { PlanInput, Strategy } from '#server/context/strategies/strategy';
import { middleRemoval } from '#server/context/strategies/middle-removal';
import { countTokens } from '#server/context/tokens';

/** A finished summary and the plan it belongs to. */
export interface Candidate {
  readonly plan: CompactionPlan;
  readonly text: string;
  readonly tokens: number;
  /** The strategy whose work this is: the chosen one, or the fallback that took its place. */
  readonly strategy: Strategy['name'];
  /** Who wrote it; null without a model. */
  readonly modelId: string | null;
  /** All model calls so far, also those whose text was refused. */
  readonly usage: Usage | null;
}

export interface SummaryJob {
  readonly strategy: Strategy;
  readonly input: PlanInput;
  readonly plan: CompactionPlan;
  /** The facts for a plan: its originals, the ledger, the round. */
  readonly factsFor: (plan: CompactionPlan) => Promise<SummaryFacts>;
  readonly previousSummary: string | null;
  readonly instructions: string | undefined;
  /** Null: no model writes. */
  readonly summarizer: Summarizer | null;
  readonly signal: AbortSignal | undefined;
}

/** A refused or failed narrative is asked for once more. */
const ATTEMPTS = 2;
/** Of the summary's tokens, the narrative's share; the rest is kept exactly by code. */
const NARRATIVE_SHARE = 0.55;

/**
 * Summaries for a compaction, best first: the strategy's own, then the ledger's, then middle removal. The caller takes
 * the first that gains enough. A summarizer that fails only moves on to the next; an abort is thrown.
 */
export async function* writeCandidates(job: SummaryJob): AsyncGenerator<Candidate> {
  const spent = createSpending();
  const own = await writeOwn(job, spent);
  if (own) yield own;
  const withoutModel = { modelId: null, usage: spent.total() };
  if (job.strategy.writer !== 'ledger' && job.strategy.writer !== 'note') {
    yield candidate(job.plan, composeLedgerSummary(await job.factsFor(job.plan)), 'ledger', withoutModel);
  }
  const middle = job.strategy.writer === 'note' ? null : middleRemoval.plan(job.input);
  if (middle) yield candidate(middle, await writeNote(job, middle), 'middle-removal', withoutModel);
}

async function writeOwn(job: SummaryJob, spent: Spending): Promise<Candidate | null> {
  const { strategy, plan, summarizer } = job;
  const withoutModel = { modelId: null, usage: null };
  switch (strategy.writer) {
    case 'ledger':
      return candidate(plan, composeLedgerSummary(await job.factsFor(plan)), strategy.name, withoutModel);
    case 'note':
      return candidate(plan, await writeNote(job, plan), strategy.name, withoutModel);
    case 'narrative':
      return summarizer ? writeNarrative(job, summarizer, spent) : null;
    case 'pruning-agent':
      return summarizer ? askPruningAgent(job, summarizer, spent) : null;
  }
}

async function writeNarrative(job: SummaryJob, summarizer: Summarizer, spent: Spending): Promise<Candidate | null> {
  const { plan, strategy } = job;
  const maxTokens = Math.floor(Math.min(job.input.settings.narrativeMaxTokens, plan.summaryTokens * NARRATIVE_SHARE));
  const chunks = renderTranscript(headOf(plan), job.previousSummary, summarizer.inputTokens);
  let narrative: string | null = null;
  for (const chunk of chunks) {
    // Each part is told what the parts before it came to, so that the last one is about everything.
    const transcript = narrative === null ? chunk : withSummarySoFar(narrative, chunk);
    narrative = await attempt(job, spent, async () => {
      const { instructions, signal } = job;
      const answer = await summarizer.summarize({ transcript, instructions, maxOutputTokens: maxTokens, signal });
      return checkNarrative(answer.text, { finishReason: answer.finishReason, maxTokens }) === null
        ? { ...answer, value: answer.text }
        : { ...answer, value: null };
    });
    if (narrative === null) return null;
  }
  if (narrative === null) return null;
  const text = composeNarrativeSummary(narrative, await job.factsFor(plan));
  return candidate(plan, text, strategy.name, { modelId: summarizer.modelId, usage: spent.total() });
}

async function askPruningAgent(job: SummaryJob, summarizer: Summarizer, spent: Spending): Promise<Candidate | null> {
  const { plan, strategy, input } = job;
  const [transcript, ...more] = renderTranscript(headOf(plan), job.previousSummary, summarizer.inputTokens, true);
  // What its window cannot hold at once, it cannot choose from.
  if (transcript === undefined || more.length > 0) return null;
  const room = Math.max(0, input.budget.target - input.budget.fixed) / input.target.tokenFactor - plan.summaryTokens;
  const chosen = await attempt(job, spent, async () => {
    const answer = await summarizer.prune({ transcript, maxOutputTokens: plan.summaryTokens, signal: job.signal });
    return { ...answer, value: applyPrunedConversation(answer.text, plan, room) };
  });
  if (!chosen) return null;
  const text = composeNarrativeSummary(chosen.summary, await job.factsFor(chosen.plan));
  return candidate(chosen.plan, text, strategy.name, { modelId: summarizer.modelId, usage: spent.total() });
}

/** The first usable value of a few attempts; what they cost is added up. */
async function attempt<T>(
  job: SummaryJob,
  spent: Spending,
  ask: () => Promise<SummaryAnswer & { value: T | null }>,
): Promise<T | null> {
  for (let count = 0; count < ATTEMPTS; count += 1) {
    try {
      const { value, usage } = await ask();
      spent.add(usage);
      if (value !== null) return value;
    } catch {
      job.signal?.throwIfAborted();
    }
  }
  return null;
}

/** How many messages have been taken out in all, earlier rounds included. */
async function writeNote(job: SummaryJob, plan: CompactionPlan): Promise<string> {
  const facts = await job.factsFor(plan);
  return composeNote(facts, facts.messages.length - plan.keptBefore.length - plan.keptAfter.length);
}

/** Everything the summarizer reads, in order. */
function headOf(plan: CompactionPlan): Message[] {
  return [...plan.keptBefore, ...plan.replaced, ...plan.keptAfter].toSorted((a, b) => a.seq - b.seq);
}

function candidate(
  plan: CompactionPlan,
  text: string,
  strategy: Strategy['name'],
  author: Pick<Candidate, 'modelId' | 'usage'>,
): Candidate {
  return { plan, text, tokens: countTokens(text), strategy, ...author };
}

type Spending = ReturnType<typeof createSpending>;

function createSpending() {
  const usages: Usage[] = [];
  return {
    add: (usage: Usage | null) => void (usage && usages.push(usage)),
    total(): Usage | null {
      if (usages.length === 0) return null;
      const sum = (of: (usage: Usage) => number) => usages.reduce((total, usage) => total + of(usage), 0);
      const cost = usages.some((usage) => usage.cost !== undefined) ? { cost: sum((usage) => usage.cost ?? 0) } : {};
      return {
        inputTokens: sum((usage) => usage.inputTokens),
        outputTokens: sum((usage) => usage.outputTokens),
        ...cost,
      };
    },
  };
}
