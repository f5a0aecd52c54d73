import {
  composeLedgerSummary,
  composeNarrativeSummary,
  composeNote,
  type SummaryFacts,
} from '#server/context/compose-summary';
import { checkNarrative } from '#server/context/narrative';
import { type CompactionPlan, headOf, rawTokens } from '#server/context/plan-compaction';
import type { Summarizer, SummarizerFault, SummaryAnswer } from '#server/context/ports';
import { applyPrunedConversation, renderTranscript, withSummarySoFar } from '#server/context/render-transcript';
import { middleRemoval, type ModelResult, type PlanInput, type Strategy } from '#server/context/strategies';
import { countTokens } from '#server/context/tokens';
import { messageOf } from '#server/core/errors';
import type { Usage } from '#server/core/messages';

/** A finished summary and the plan it belongs to. */
export interface Candidate {
  readonly plan: CompactionPlan;
  readonly text: string;
  readonly tokens: number;
  /** The strategy whose work this is: the chosen one, or the fallback that took its place. */
  readonly strategy: Strategy['name'];
  /** The model that wrote it; null without one. */
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
  /** Time and calls of the model. */
  readonly budget: CallBudget;
  /** How often the model is asked for each part. */
  readonly attempts: number;
  /** Told once the model has written a summary (null), or has failed to. Not where the caller gave up. */
  readonly onAsked: (fault: SummarizerFault | null) => Promise<void>;
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
  const { strategy, plan, summarizer } = job;
  const withoutModel = { modelId: null, usage: null };
  if (strategy.writer === 'ledger') {
    return candidate(plan, composeLedgerSummary(await job.factsFor(plan)), strategy.name, withoutModel);
  }
  if (strategy.writer === 'note') return candidate(plan, await writeNote(job, plan), strategy.name, withoutModel);
  if (!summarizer) return null;
  const asking: Asking = { job, summarizer, fault: null };
  const result = strategy.writer === 'narrative' ? await askForNarrative(asking) : await askPruningAgent(asking);
  if (result || asking.fault) await job.onAsked(result ? null : asking.fault);
  if (!result) return null;
  const text = composeNarrativeSummary(result.text, await job.factsFor(result.plan));
  return candidate(result.plan, text, strategy.name, { modelId: summarizer.modelId, usage: job.spent.total() });
}

/** A model that is being asked for a summary. */
interface Asking {
  readonly job: SummaryJob;
  readonly summarizer: Summarizer;
  /** The last one. */
  fault: SummarizerFault | null;
}

async function askForNarrative(asking: Asking): Promise<ModelResult | null> {
  const { job, summarizer } = asking;
  const { plan, instructions } = job;
  const { settings } = job.input;
  const maxOutputTokens = narrativeTokens(job);
  const chunks = await renderTranscript(headOf(plan), job.previousSummary, summarizer.inputTokens, {
    settings,
    count: summarizer.count,
    mostChunks: Math.max(1, Math.min(MOST_CALLS, job.budget.callsLeft)),
  });
  let result: ModelResult | null = null;
  for (const [index, chunk] of chunks.entries()) {
    // Each part is told what the parts before it came to, so that the last one is about everything.
    const transcript: string = result === null ? chunk : withSummarySoFar(result.text, chunk);
    result = await attempt(
      asking,
      (signal) => summarizer.summarize({ transcript, instructions, maxOutputTokens, signal }),
      ({ text }) => ({ plan, text }),
      chunks.length - index - 1,
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
  const [transcript, ...more] = await renderTranscript(head, job.previousSummary, summarizer.inputTokens, options);
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

/** Tokens that the model may write about the replaced messages. */
function narrativeTokens({ input, plan }: SummaryJob): number {
  const { narrativeMaxTokens, narrativeShare } = input.settings;
  return Math.floor(Math.min(narrativeMaxTokens, plan.summaryTokens * narrativeShare));
}

/**
 * The first result of a few attempts that can be trusted; null when there is none, and no calls or time are left for
 * another.
 * @param reserved calls of the budget that are for later parts
 */
async function attempt(
  asking: Asking,
  ask: (signal: AbortSignal) => Promise<SummaryAnswer>,
  read: (answer: SummaryAnswer) => ModelResult | null,
  reserved = 0,
): Promise<ModelResult | null> {
  const { job, summarizer } = asking;
  const { budget } = job;
  const signal = job.signal ? AbortSignal.any([job.signal, budget.deadline]) : budget.deadline;
  for (let count = 0; count < job.attempts && budget.callsLeft > reserved; count += 1) {
    if (asking.fault && count > 0 && !(await mayAskAgain(asking.fault, job, signal))) return null;
    try {
      budget.takeCall();
      const answer = await ask(signal);
      job.spent.add(answer.usage);
      const result = read(answer);
      const problem = result ? problemOf(result, answer, job) : 'Its choice cannot be read.';
      if (result && problem === null) return result;
      asking.fault = { reason: `The text was not usable: ${problem}`, mayPass: true, hasAnswered: true };
    } catch (error) {
      job.signal?.throwIfAborted();
      asking.fault = summarizer.explain?.(error) ?? { reason: messageOf(error), mayPass: true };
    }
  }
  return null;
}

/**
 * Returns whether the same may be asked again, after the pause that the provider asks for where that is a short one.
 */
async function mayAskAgain(
  { mayPass, retryAfterMs = 0 }: SummarizerFault,
  { input, signal: caller }: SummaryJob,
  signal: AbortSignal,
): Promise<boolean> {
  if (!mayPass || retryAfterMs > input.settings.stepRetryMaxWait) return false;
  if (retryAfterMs > 0) await firstOf(signal, AbortSignal.timeout(retryAfterMs));
  caller?.throwIfAborted();
  return true;
}

/** Resolves once one of the signals has aborted. */
function firstOf(...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    if (signals.some(({ aborted }) => aborted)) resolve();
    for (const signal of signals) signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Says what is wrong with a model's result, in a short sentence; null: nothing. */
function problemOf(result: ModelResult, { finishReason }: SummaryAnswer, job: SummaryJob): string | null {
  const facts = { finishReason, maxTokens: narrativeTokens(job) };
  return checkNarrative(result.text, facts) ?? job.strategy.validate?.(result, job.plan, job.input.settings) ?? null;
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

/** Model calls for one compaction, parts and attempts: each costs as much as a step. */
const MOST_CALLS = 3;

/** The time and the model calls that one compaction may take, whoever began it. */
export class CallBudget {
  #deadline: AbortSignal;
  #calls = 0;

  /** @param ms from now on */
  constructor(ms: number) {
    this.#deadline = AbortSignal.timeout(ms);
  }

  /** Aborts when the time is up. */
  get deadline(): AbortSignal {
    return this.#deadline;
  }

  get callsLeft(): number {
    return this.#deadline.aborted ? 0 : MOST_CALLS - this.#calls;
  }

  takeCall(): void {
    this.#calls += 1;
  }

  /** Counts in what was begun earlier for the same compaction. */
  join(earlier: CallBudget): void {
    this.#deadline = AbortSignal.any([this.#deadline, earlier.#deadline]);
    this.#calls += earlier.#calls;
  }
}

/** Adds up what the model calls for one summary cost, also those whose text was refused or came too late. */
export class Spending {
  readonly #usages: Usage[] = [];

  add(usage: Usage | null): void {
    if (usage) this.#usages.push(usage);
  }

  /** Null where nothing was reported. */
  total(): Usage | null {
    if (this.#usages.length === 0) return null;
    const sum = (of: (usage: Usage) => number) => this.#usages.reduce((total, usage) => total + of(usage), 0);
    const hasCost = this.#usages.some(({ cost }) => cost !== undefined);
    return {
      inputTokens: sum(({ inputTokens }) => inputTokens),
      outputTokens: sum(({ outputTokens }) => outputTokens),
      ...(hasCost && { cost: sum(({ cost }) => cost ?? 0) }),
    };
  }
}
