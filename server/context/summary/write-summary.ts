import type { Usage } from '#server/core/messages';
import { checkNarrative } from '#server/context/summary/check-narrative';
import { composeNote } from '#server/context/summary/compose-note';
import {
  composeLedgerSummary,
  composeNarrativeSummary,
  type SummaryFacts,
} from '#server/context/summary/compose-summary';
import { type CompactionPlan, headOf, rawTokens } from '#server/context/compaction/plan-compaction';
import type { Summarizer, SummaryAnswer } from '#server/context/ports';
import { applyPrunedConversation } from '#server/context/summary/pruned-conversation';
import { renderTranscript, withSummarySoFar } from '#server/context/summary/render-transcript';
import type { Spending } from '#server/context/summary/spending';
import type { ModelResult, PlanInput, Strategy } from '#server/context/strategies/strategy';
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
  /** Takes up what the model calls cost. */
  readonly spent: Spending;
}

/**
 * Summaries for a compaction, best first: the strategy's own, then the ledger's, then middle removal. The caller takes
 * the first that gains enough. A summarizer that fails only moves on to the next; an abort is thrown.
 */
export async function* writeCandidates(job: SummaryJob): AsyncGenerator<Candidate> {
  const own = await writeOwn(job);
  if (own) yield own;
  const withoutModel = { modelId: null, usage: job.spent.total() };
  if (job.strategy.writer !== 'ledger' && job.strategy.writer !== 'note') {
    yield candidate(job.plan, composeLedgerSummary(await job.factsFor(job.plan)), 'ledger', withoutModel);
  }
  const middle = job.strategy.writer === 'note' ? null : middleRemoval.plan(job.input);
  if (middle) yield candidate(middle, await writeNote(job, middle), 'middle-removal', withoutModel);
}

/** The strategy's own summary; null where its model has none that can be trusted. @throws when the caller gave up */
export async function writeOwn(job: SummaryJob): Promise<Candidate | null> {
  const { strategy, plan, summarizer, input } = job;
  const withoutModel = { modelId: null, usage: null };
  if (strategy.writer === 'ledger') {
    return candidate(plan, composeLedgerSummary(await job.factsFor(plan)), strategy.name, withoutModel);
  }
  if (strategy.writer === 'note') return candidate(plan, await writeNote(job, plan), strategy.name, withoutModel);
  if (!summarizer) return null;
  const deadline = AbortSignal.timeout(input.settings.summaryTimeout);
  const asking = { job, summarizer, deadline };
  const result = strategy.writer === 'narrative' ? await askForNarrative(asking) : await askPruningAgent(asking);
  if (!result) return null;
  const text = composeNarrativeSummary(result.text, await job.factsFor(result.plan));
  return candidate(result.plan, text, strategy.name, { modelId: summarizer.modelId, usage: job.spent.total() });
}

/** A model that is being asked for a summary. */
interface Asking {
  readonly job: SummaryJob;
  readonly summarizer: Summarizer;
  /** Of all its calls together. */
  readonly deadline: AbortSignal;
}

async function askForNarrative(asking: Asking): Promise<ModelResult | null> {
  const { job, summarizer } = asking;
  const { plan, instructions } = job;
  const { settings } = job.input;
  const maxOutputTokens = narrativeTokens(job);
  const chunks = renderTranscript(headOf(plan), job.previousSummary, summarizer.inputTokens, {
    settings,
    count: summarizer.count,
  });
  let result: ModelResult | null = null;
  for (const chunk of chunks) {
    // Each part is told what the parts before it came to, so that the last one is about everything.
    const transcript: string = result === null ? chunk : withSummarySoFar(result.text, chunk);
    result = await attempt(
      asking,
      (signal) => summarizer.summarize({ transcript, instructions, maxOutputTokens, signal }),
      ({ text }) => ({ plan, text }),
    );
    if (result === null) return null;
  }
  return result;
}

async function askPruningAgent(asking: Asking): Promise<ModelResult | null> {
  const { job, summarizer } = asking;
  const { plan, input } = job;
  const head = headOf(plan);
  const options = { withIds: true, settings: input.settings, count: summarizer.count };
  const [transcript, ...more] = renderTranscript(head, job.previousSummary, summarizer.inputTokens, options);
  // What its window cannot hold at once, it cannot choose from.
  if (transcript === undefined || more.length > 0) return null;
  const room = Math.max(0, input.budget.target - input.budget.fixed) / input.target.tokenFactor - plan.summaryTokens;
  const roomTokens = Math.max(0, Math.floor(room - rawTokens([...plan.keptAfter, ...plan.tail])));
  const request = { transcript, tokens: rawTokens(head), roomTokens, maxOutputTokens: plan.summaryTokens };
  return attempt(
    asking,
    (signal) => summarizer.prune({ ...request, signal }),
    (answer) => applyPrunedConversation(answer.text, plan, room),
  );
}

/** What the model may write about what is replaced. */
function narrativeTokens({ input, plan }: SummaryJob): number {
  const { narrativeMaxTokens, narrativeShare } = input.settings;
  return Math.floor(Math.min(narrativeMaxTokens, plan.summaryTokens * narrativeShare));
}

/** The first result of a few attempts that can be trusted; null when there is none, or no time left. */
async function attempt(
  { job, deadline }: Asking,
  ask: (signal: AbortSignal) => Promise<SummaryAnswer>,
  read: (answer: SummaryAnswer) => ModelResult | null,
): Promise<ModelResult | null> {
  const signal = job.signal ? AbortSignal.any([job.signal, deadline]) : deadline;
  for (let count = 0; count < job.input.settings.summaryAttempts && !deadline.aborted; count += 1) {
    try {
      const answer = await ask(signal);
      job.spent.add(answer.usage);
      const result = read(answer);
      if (result && isSound(result, answer, job)) return result;
    } catch {
      job.signal?.throwIfAborted();
    }
  }
  return null;
}

function isSound(result: ModelResult, { finishReason }: SummaryAnswer, job: SummaryJob): boolean {
  const facts = { finishReason, maxTokens: narrativeTokens(job) };
  const problem =
    checkNarrative(result.text, facts) ?? job.strategy.validate?.(result, job.plan, job.input.settings) ?? null;
  return problem === null;
}

/** How many messages have been taken out in all, earlier rounds included. */
async function writeNote(job: SummaryJob, plan: CompactionPlan): Promise<string> {
  const facts = await job.factsFor(plan);
  return composeNote(facts, facts.messages.length - plan.keptBefore.length - plan.keptAfter.length);
}

function candidate(
  plan: CompactionPlan,
  text: string,
  strategy: Strategy['name'],
  author: Pick<Candidate, 'modelId' | 'usage'>,
): Candidate {
  return { plan, text, tokens: countTokens(text), strategy, ...author };
}
