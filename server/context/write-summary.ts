import {
  composeLedgerSummary,
  composeNarrativeSummary,
  composeNote,
  recordText,
  type SummaryFacts,
  wishesIn,
} from '#server/context/compose-summary';
import { MOST_CALLS } from '#server/context/breaker';
import { checkNarrative } from '#server/context/narrative';
import { type CompactionPlan, headOf, rawTokens } from '#server/context/plan-compaction';
import type { Summarizer, SummarizerFault, SummaryAnswer, SummaryRequest } from '#server/context/ports';
import { applyPrunedConversation, renderTranscript } from '#server/context/render-transcript';
import { middleRemoval, type ModelResult, type PlanInput, type Strategy } from '#server/context/strategies';
import { countTokens } from '#server/context/tokens';
import { messageOf } from '#server/core/errors';
import type { NewKeptWish } from '#server/core/kept-wishes';
import type { Usage } from '#server/core/messages';

/** A finished summary and the plan it belongs to. */
export interface Candidate {
  readonly plan: CompactionPlan;
  readonly text: string;
  /** What a model told in it; where none did, what the summary before it had of that: the next one goes on from it. */
  readonly narrative: string | null;
  /** Lasting wishes that the model found unkept. */
  readonly wishes: readonly NewKeptWish[];
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
  /** What a model told in the summary before this one. */
  readonly previousNarrative: string | null;
  readonly instructions: string | undefined;
  /** Null: no model writes. */
  readonly summarizer: Summarizer | null;
  readonly signal: AbortSignal | undefined;
  /** Takes up what the model calls cost, and why their texts were refused. */
  readonly spent: Spending;
  /** Time and calls of the model. */
  readonly budget: CallBudget;
  /** The model has failed before: it is only tried. */
  readonly isTrial: boolean;
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
  const { writer } = job.strategy;
  if (writer !== 'ledger' && writer !== 'note') yield withoutModel(job, await writeLedger(job), 'ledger');
  const middle = writer === 'note' ? null : middleRemoval.plan(job.input);
  if (middle) yield withoutModel({ ...job, plan: middle }, await writeNote(job, middle), 'middle-removal');
}

/** The strategy's own summary; null where its model has none that can be trusted. @throws when the caller gave up */
export async function writeOwn(job: SummaryJob): Promise<Candidate | null> {
  const { strategy, plan, summarizer } = job;
  if (strategy.writer === 'ledger') return withoutModel(job, await writeLedger(job), strategy.name);
  if (strategy.writer === 'note') return withoutModel(job, await writeNote(job, plan), strategy.name);
  if (!summarizer) return null;
  const facts = await job.factsFor(plan);
  const maxTokens = Math.min(job.input.settings.narrativeMaxTokens, facts.shares.narrative);
  const asking: Asking = { job, summarizer, record: recordText(facts), maxTokens, fault: null };
  const result = strategy.writer === 'narrative' ? await askForNarrative(asking) : await askPruningAgent(asking);
  if (result || asking.fault) await job.onAsked(result ? null : asking.fault);
  if (!result) return null;
  // The site may have changed while the model wrote.
  const factsNow = await job.factsFor(result.plan);
  const text = composeNarrativeSummary(result.text, factsNow);
  const wishes = wishesIn(result.text, factsNow);
  const { modelId } = summarizer;
  const told = { plan: result.plan, text, narrative: result.text, wishes, tokens: countTokens(text) };
  return { ...told, strategy: strategy.name, modelId, usage: job.spent.total() };
}

/** A model that is being asked for a summary. */
interface Asking {
  readonly job: SummaryJob;
  readonly summarizer: Summarizer;
  /** What code keeps beside its text. */
  readonly record: string;
  /** Tokens of its text that the summary holds. */
  readonly maxTokens: number;
  /** The last one. */
  fault: SummarizerFault | null;
}

/** What each attempt at the same text is asked with. */
type Attempt = Pick<SummaryRequest, 'maxTokens' | 'problem' | 'signal'>;

async function askForNarrative(asking: Asking): Promise<ModelResult | null> {
  const { job, summarizer } = asking;
  const { plan, instructions } = job;
  const { text: transcript } = await render(asking);
  return attempts(
    asking,
    (attempt) => summarizer.summarize({ transcript, instructions, ...attempt }),
    ({ text }) => ({ plan, text }),
  );
}

async function askPruningAgent(asking: Asking): Promise<ModelResult | null> {
  const { job, summarizer } = asking;
  const { plan, input } = job;
  const { text: transcript, isWhole } = await render(asking);
  // What its window cannot hold at once, it cannot choose from.
  if (!isWhole) return null;
  const room = Math.max(0, input.budget.target - input.budget.fixed) / input.target.tokenFactor - plan.summaryTokens;
  const roomTokens = Math.max(0, Math.floor(room - rawTokens([...plan.keptAfter, ...plan.tail])));
  const request = { transcript, tokens: rawTokens(headOf(plan)), roomTokens };
  return attempts(
    asking,
    (attempt) => summarizer.prune({ ...request, ...attempt }),
    // A choice that was cut off is not the whole choice.
    (answer) => (answer.finishReason === 'stop' ? applyPrunedConversation(answer.text, plan, room) : null),
  );
}

function render({ job, summarizer, record }: Asking) {
  const { plan, strategy, input, previousNarrative: narrative } = job;
  return renderTranscript(headOf(plan), { record, narrative }, summarizer.inputTokens, {
    withIds: strategy.writer === 'pruning-agent',
    settings: input.settings,
    count: summarizer.count,
  });
}

/** Attempts that may fail; the model seldom does better after that. */
const MOST_FAILURES = 2;

/**
 * The first result that can be trusted, each attempt told what was wrong with the one before; null when there is none,
 * and no calls or time are left for another.
 */
async function attempts(
  asking: Asking,
  ask: (attempt: Attempt) => Promise<SummaryAnswer>,
  read: (answer: SummaryAnswer) => ModelResult | null,
): Promise<ModelResult | null> {
  const { job, summarizer, maxTokens } = asking;
  const { budget, spent } = job;
  const signal = job.signal ? AbortSignal.any([job.signal, budget.deadline]) : budget.deadline;
  let problem: string | undefined;
  let failed = 0;
  while (failed < (job.isTrial ? 1 : MOST_FAILURES) && budget.callsLeft > 0) {
    if (asking.fault && !(await mayAskAgain(asking.fault, job, signal))) return null;
    try {
      budget.takeCalls(1);
      const answer = await ask({ maxTokens, problem, signal });
      spent.add(answer.usage);
      const checked = checkResult(read(answer), answer, asking);
      if (typeof checked !== 'string') return checked;
      problem = checked;
      asking.fault = { reason: `The text was not usable: ${problem}`, mayPass: true, hasAnswered: true };
    } catch (error) {
      job.signal?.throwIfAborted();
      asking.fault = summarizer.explain?.(error) ?? { reason: messageOf(error), mayPass: true };
    }
    spent.refuse(asking.fault.reason);
    // A provider that says when to come back is only busy.
    if (asking.fault.retryAfterMs === undefined) failed += 1;
  }
  return null;
}

/** Returns whether the same may be asked again, after the pause that the provider asks for where there is time for it. */
async function mayAskAgain(
  { mayPass, retryAfterMs = 0 }: SummarizerFault,
  { budget, signal: caller }: SummaryJob,
  signal: AbortSignal,
): Promise<boolean> {
  if (!mayPass || retryAfterMs > budget.msLeft) return false;
  const over = AbortSignal.any([signal, AbortSignal.timeout(retryAfterMs)]);
  if (retryAfterMs > 0 && !over.aborted) {
    await new Promise<void>((resolve) => over.addEventListener('abort', () => resolve(), { once: true }));
  }
  caller?.throwIfAborted();
  return true;
}

/** A model's result with the text that is kept of it, or what is wrong with it, in a short sentence. */
function checkResult(
  result: ModelResult | null,
  { finishReason, text }: SummaryAnswer,
  { job, maxTokens }: Asking,
): ModelResult | string {
  const checked = checkNarrative(result?.text ?? text, { finishReason, maxTokens });
  if (!result) return text.trim() === '' && 'problem' in checked ? checked.problem : 'Its choice cannot be read.';
  if ('problem' in checked) return checked.problem;
  const kept = { ...result, text: checked.text };
  return job.strategy.validate?.(kept, job.plan, job.input.settings) ?? kept;
}

/** How many messages have been taken out in all, earlier rounds included. */
async function writeNote(job: SummaryJob, plan: CompactionPlan): Promise<string> {
  const facts = await job.factsFor(plan);
  return composeNote(facts, facts.messages.length - plan.keptBefore.length - plan.keptAfter.length);
}

async function writeLedger(job: SummaryJob): Promise<string> {
  return composeLedgerSummary(await job.factsFor(job.plan));
}

function withoutModel({ plan, previousNarrative, spent }: SummaryJob, text: string, strategy: string): Candidate {
  const told = { plan, text, narrative: previousNarrative, wishes: [], tokens: countTokens(text) };
  return { ...told, strategy, modelId: null, usage: spent.total() };
}

/** The time and the model calls that one compaction may take, whoever began it. */
export class CallBudget {
  #deadline: AbortSignal;
  #end: number;
  #calls = 0;

  /** @param ms from now on */
  constructor(ms: number) {
    this.#deadline = AbortSignal.timeout(ms);
    this.#end = performance.now() + ms;
  }

  /** Aborts when the time is up. */
  get deadline(): AbortSignal {
    return this.#deadline;
  }

  get msLeft(): number {
    return this.#end - performance.now();
  }

  /** Those that were taken. */
  get calls(): number {
    return this.#calls;
  }

  get callsLeft(): number {
    return this.#deadline.aborted ? 0 : MOST_CALLS - this.#calls;
  }

  takeCalls(count: number): void {
    this.#calls += count;
  }

  /** Counts in what was begun earlier for the same compaction. */
  join(earlier: CallBudget): void {
    this.#deadline = AbortSignal.any([this.#deadline, earlier.#deadline]);
    this.#end = Math.min(this.#end, earlier.#end);
    this.#calls += earlier.#calls;
  }
}

/** What the model calls for one summary cost, also those whose text was refused or came too late, and why that was. */
export class Spending {
  readonly #usages: Usage[] = [];
  readonly #refusals: string[] = [];

  /** @param reason for a person */
  refuse(reason: string): void {
    this.#refusals.push(reason);
  }

  /** Why attempts were refused, a line each, after what became of the whole; null where there is nothing to tell. */
  tell(...outcome: readonly string[]): string | null {
    const tries = this.#refusals.map((reason, index) => `Attempt ${index + 1}: ${reason}`);
    return [...outcome, ...tries].join('\n') || null;
  }

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
