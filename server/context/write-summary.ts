import { viewShares } from '#server/context/budget';
import { callsMade, MOST_CALLS, nextPause } from '#server/context/breaker';
import {
  changesSince,
  composeLedgerSummary,
  composeNarrativeSummary,
  composeNote,
  recordText,
  type SummaryFacts,
  toldOn,
  touchedThings,
  wishesIn,
} from '#server/context/compose-summary';
import type { ContextSnapshot } from '#server/context/context-snapshot';
import { fixedTokens, tokensOfView } from '#server/context/current-tokens';
import { checkNarrative, narrativeOf } from '#server/context/narrative';
import {
  type CompactionPlan,
  headOf,
  keptBy,
  middleRemoval,
  type ModelResult,
  rawTokens,
  type Strategy,
} from '#server/context/strategies';
import type {
  ContextDependencies,
  ContextRequest,
  PastCompactions,
  Summarizer,
  SummarizerFault,
  SummaryAnswer,
  SummaryRequest,
} from '#server/context/ports';
import { readTurns } from '#server/context/record';
import { applyPrunedConversation, renderTranscript } from '#server/context/render-transcript';
import { countTokens, vocabularyOf } from '#server/context/tokens';
import { buildView, cutToLeast, markerOf } from '#server/context/view';
import type { CompactionTrigger } from '#server/core/compactions';
import { messageOf } from '#server/core/errors';
import { orAborted } from '#server/core/async';
import type { NewKeptWish } from '#server/core/kept-wishes';
import type { Message, Usage } from '#server/core/messages';

export interface SummaryOrder {
  readonly strategy: Strategy;
  readonly reason: CompactionTrigger;
  /** Points that the user asks the summary to pay attention to. */
  readonly instructions?: string | undefined;
  readonly budget: CallBudget;
}

/** A planned compaction whose summary is to be written. */
export interface SummaryJob extends SummaryOrder {
  readonly deps: ContextDependencies;
  readonly request: ContextRequest;
  readonly snapshot: ContextSnapshot;
  readonly plan: CompactionPlan;
  readonly past: PastCompactions;
  /** Takes up what the model calls cost, and why their texts were refused. */
  readonly spent: SummaryCost;
}

/** A finished summary and the plan it belongs to. */
export interface Candidate {
  readonly plan: CompactionPlan;
  readonly text: string;
  /** A model's narrative in it, or else that of the summary before it: the next one goes on from it. */
  readonly narrative: string | null;
  readonly wishes: readonly NewKeptWish[];
  /** The strategy whose work this is: the chosen one, or the fallback that took its place. */
  readonly strategy: Strategy['name'];
  readonly modelId: string | null;
  /** Tokens of the view with it in place, measured as the view will be. */
  readonly after: number;
}

function candidate({ snapshot: { target } }: SummaryJob, made: Omit<Candidate, 'after'>): Candidate {
  const { keptBefore: leading, keptAfter: kept, tail: messages } = made.plan;
  const shown = { leading, summary: null, kept, messages };
  const view = buildView(shown, target.modelId, target.acceptsImages, { id: null, text: made.text });
  return { ...made, after: fixedTokens(target) + tokensOfView(view, target) };
}

/**
 * Summaries for a compaction, best first: the strategy's own, then the ledger's, then middle removal. The caller takes
 * the first that gains enough. A summarizer that fails only moves on to the next; an abort is thrown.
 */
export async function* writeCandidates(job: SummaryJob): AsyncGenerator<Candidate> {
  const { name, writer } = job.strategy;
  const withoutModel = { narrative: previousNarrative(job), wishes: [], modelId: null };
  const told = await askModel(job);
  if (told) yield await putInPlace(job, told.plan, told);
  if (writer !== 'note') {
    const text = composeLedgerSummary(await gatherFacts(job, job.plan));
    yield candidate(job, { ...withoutModel, plan: job.plan, text, strategy: writer === 'ledger' ? name : 'ledger' });
  }
  const plan = writer === 'note' ? job.plan : middleRemoval.plan(job.snapshot);
  if (!plan) return;
  const facts = await gatherFacts(job, plan);
  // All that have been taken out, in earlier rounds too.
  const text = composeNote(facts, facts.messages.length - plan.keptBefore.length - plan.keptAfter.length);
  yield candidate(job, { ...withoutModel, plan, text, strategy: writer === 'note' ? name : middleRemoval.name });
}

/** A narrative, and what has changed since its model knew it: up to the end of its transcript. */
export interface Told extends Pick<Candidate, 'modelId'> {
  readonly narrative: string;
  readonly changed: ReturnType<typeof changesSince>;
}

/**
 * A model's narrative with what code keeps around it, as things stand now: the site may have changed meanwhile.
 * @param since messages in front of the cut that its model has not read
 */
export async function putInPlace(
  job: SummaryJob,
  plan: CompactionPlan,
  told: Told,
  since: readonly Message[] = [],
): Promise<Candidate> {
  const { modelId, changed } = told;
  const facts = await gatherFacts(job, plan);
  // No summarizer would ever read them: the next one begins behind this cut.
  const narrative = toldOn(told.narrative, since, facts);
  const text = composeNarrativeSummary(narrative, facts, changed(facts.journal));
  const wishes = wishesIn(narrative, facts);
  return candidate(job, { plan, text, narrative, wishes, strategy: job.strategy.name, modelId });
}

/** Tokens that the frame of a summary may take beside its text. */
const FRAME_MARGIN = 50;

async function gatherFacts({ deps, request, snapshot, past }: SummaryJob, plan: CompactionPlan): Promise<SummaryFacts> {
  const { store, ledger, siteState } = deps;
  const { sessionId, signal } = request;
  const { budget, target, settings } = snapshot;
  const vocabulary = vocabularyOf(target.modelId);
  const kept = keptBy(plan);
  const room = Math.floor((budget.usable - budget.fixed) / target.tokenFactor) - FRAME_MARGIN;
  const left = room - rawTokens(kept);
  const messages = await store.loadBefore(sessionId, plan.tail[0].seq);
  const journal = await ledger(sessionId);
  return {
    round: past.count + 1,
    messages,
    journal,
    turns: await readTurns(messages, journal, plan.tail[0].createdAt),
    things: (await siteState?.(sessionId, touchedThings(journal), signal)) ?? [],
    wishes: await store.keptWishes(sessionId),
    letGo: await store.wishesLetGo(sessionId),
    standing: (await deps.standing?.(sessionId)) ?? '',
    kept,
    cutsTurn: plan.cutsTurn,
    shares: viewShares(Math.floor(budget.room / target.tokenFactor), settings),
    // Messages that do not fit whole will be cut.
    tokens: Math.min(plan.summaryTokens, left > 0 ? left : room - rawTokens(cutToLeast(kept, vocabulary))),
    messageTokens: Math.floor((budget.usable * settings.messageShare) / target.tokenFactor),
    count: (text) => countTokens(text, vocabulary),
  };
}

/** Narrative in the summary before this one. */
function previousNarrative({ snapshot }: SummaryJob): string | null {
  const marker = markerOf(snapshot.stored);
  return marker ? (marker.narrative ?? narrativeOf(marker.summary)) : null;
}

/* Asking a model. */

type Attempt = Pick<SummaryRequest, 'maxTokens' | 'problem' | 'signal'>;

/** A model's text for the plan, with its choice where it has one; null: none to trust. @throws the signal's reason */
export async function askModel(job: SummaryJob): Promise<(Told & Pick<Candidate, 'plan'>) | null> {
  const { strategy, plan, snapshot, instructions, past, budget } = job;
  const { settings, budget: room, target } = snapshot;
  const { summarizer } = job.request;
  if (!summarizer || strategy.writer === 'ledger' || strategy.writer === 'note') return null;
  if (!((await summarizer.mayAsk?.()) ?? true)) return null;
  // What was asked in vain in the background is of the same compaction.
  if (job.reason !== 'manual') budget.calls += callsMade(past.pause, past.count + 1);
  const facts = await gatherFacts(job, plan);
  const maxTokens = Math.min(settings.narrativeMaxTokens, facts.shares.narrative);
  const chooses = strategy.writer === 'pruning-agent';
  const { count = facts.count, inputTokens } = summarizer;
  const record = recordText({ ...facts, count }, Math.floor(inputTokens * settings.transcriptPreviousShare));
  const { leading, kept } = snapshot.stored;
  const older = new Set([...leading, ...kept].map(({ id }) => id));
  const before = { record, narrative: previousNarrative(job), older };
  const options = { ...settings, count, inputTokens, withIds: chooses };
  const { text: transcript, isWhole } = await renderTranscript(headOf(plan), before, options);
  // What its window cannot hold at once, it cannot choose from.
  if (chooses && !isWhole) return null;
  const verbatim = Math.max(0, room.target - room.fixed) / target.tokenFactor - plan.summaryTokens;
  const roomTokens = Math.max(0, Math.floor(verbatim - rawTokens([...plan.keptAfter, ...plan.tail])));
  const tokens = rawTokens(headOf(plan));
  const ask = (attempt: Attempt) =>
    chooses
      ? summarizer.prune({ transcript, tokens, roomTokens, ...attempt })
      : summarizer.summarize({ transcript, instructions, ...attempt });
  const read = ({ finishReason, text }: SummaryAnswer) => {
    if (!chooses) return { plan, text };
    // A choice that was cut off is not the whole choice.
    return finishReason === 'stop' ? applyPrunedConversation(text, plan, verbatim) : null;
  };
  const result = await attempts(job, summarizer, maxTokens, ask, read);
  const changed = changesSince(facts.journal, plan.tail[0].createdAt);
  return result && { plan: result.plan, narrative: result.text, changed, modelId: summarizer.modelId };
}

/** Attempts that may fail; the model seldom does better after that. One that has failed before is only tried. */
const MOST_FAILURES = 2;

/** The first result that can be trusted, each attempt told what was wrong with the last; null when none is left. */
async function attempts(
  job: SummaryJob,
  summarizer: Summarizer,
  maxTokens: number,
  ask: (attempt: Attempt) => Promise<SummaryAnswer>,
  read: (answer: SummaryAnswer) => ModelResult | null,
): Promise<ModelResult | null> {
  const { budget, spent, past, request } = job;
  const signal = request.signal ? AbortSignal.any([request.signal, budget.deadline]) : budget.deadline;
  let result: ModelResult | null = null;
  let fault: SummarizerFault | null = null;
  let problem: string | undefined;
  let failed = 0;
  while (failed < (past.pause ? 1 : MOST_FAILURES) && budget.callsLeft > 0) {
    const pause = fault?.retryAfterMs ?? 0;
    if (fault && (!fault.mayPass || pause > budget.msLeft)) break;
    const over = AbortSignal.any([signal, AbortSignal.timeout(pause)]);
    if (pause > 0) await orAborted(new Promise(() => {}), over).catch(() => undefined);
    request.signal?.throwIfAborted();
    try {
      budget.calls += 1;
      const answer = await ask({ maxTokens, problem, signal });
      spent.add(answer.usage);
      const checked = checkResult(read(answer), answer, job, maxTokens);
      if (typeof checked !== 'string') {
        result = checked;
        break;
      }
      problem = checked;
      fault = { reason: `The text was not usable: ${problem}`, mayPass: true, hasAnswered: true };
    } catch (error) {
      request.signal?.throwIfAborted();
      fault = summarizer.explain?.(error) ?? { reason: messageOf(error), mayPass: true };
    }
    spent.refusals.push(fault.reason);
    // A provider that says when to come back is only busy.
    if (fault.retryAfterMs === undefined) failed += 1;
  }
  if (result || fault) await tellAsked(job, result ? null : fault);
  return result;
}

/** Returns whether a compaction was cancelled; ask only where its caller did not give up. */
export const isCancellation = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

/** A model's result with the text that is kept of it, or what is wrong with it, in a short sentence. */
function checkResult(
  result: ModelResult | null,
  { finishReason, text }: SummaryAnswer,
  { strategy, plan, snapshot }: SummaryJob,
  maxTokens: number,
): ModelResult | string {
  const checked = checkNarrative(result?.text ?? text, finishReason, maxTokens);
  if (!result) return text.trim() === '' && 'problem' in checked ? checked.problem : 'Its choice cannot be read.';
  if ('problem' in checked) return checked.problem;
  const kept = { ...result, text: checked.text };
  return strategy.validate?.(kept, plan, snapshot.settings) ?? kept;
}

/** Tells that the model has written a summary (null), or has failed to, and notes when it may be asked again. */
export async function tellAsked(
  { deps, request, reason: trigger, past, budget }: SummaryJob,
  fault: SummarizerFault | null,
): Promise<void> {
  const { sessionId, summarizer } = request;
  const modelId = summarizer?.modelId ?? '';
  const outcome = fault ? (fault.wasWritten ? 'dropped' : 'failed') : 'written';
  deps.onSummary?.({ outcome, sessionId, modelId, trigger, reason: fault?.reason });
  if (fault?.wasWritten) return;
  const asked = { modelId, round: past.count + 1, calls: budget.calls };
  if (fault) await deps.store.savePause(sessionId, nextPause(past.pause, asked, fault, deps.now()));
  else if (past.pause) await deps.store.savePause(sessionId, null);
}

/** The time and the model calls that one compaction may take, whoever began it. */
export class CallBudget {
  calls = 0;
  deadline: AbortSignal;
  #end: number;

  constructor(ms: number) {
    this.deadline = AbortSignal.timeout(ms);
    this.#end = performance.now() + ms;
  }

  get msLeft(): number {
    return this.#end - performance.now();
  }

  get callsLeft(): number {
    return this.deadline.aborted ? 0 : MOST_CALLS - this.calls;
  }

  /** Counts in what was begun earlier for the same compaction. */
  join(earlier: CallBudget): void {
    this.deadline = AbortSignal.any([this.deadline, earlier.deadline]);
    this.#end = Math.min(this.#end, earlier.#end);
    this.calls += earlier.calls;
  }
}

/** Cost of a job so far, as its failure is recorded. */
export function billOf({ deps, request, strategy, snapshot, spent }: SummaryJob) {
  return {
    strategy: strategy.name,
    tokensBefore: snapshot.measured.estimatedTotal,
    modelId: request.summarizer?.modelId ?? null,
    contextWindow: snapshot.target.contextWindow,
    durationMs: deps.now() - spent.startedAt,
    usage: spent.total,
  };
}

/** Cost of the model calls for one summary, also those whose text was refused or came too late, and why that was. */
export class SummaryCost {
  /** Null where nothing was reported. */
  total: Usage | null = null;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** The reasons for which attempts were refused. */
  readonly refusals: string[] = [];

  constructor(startedAt: number) {
    this.startedAt = startedAt;
  }

  /** The refusals, a line each, after what became of the whole. */
  tell(...outcome: readonly string[]): string {
    return [...outcome, ...this.refusals.map((reason, index) => `Attempt ${index + 1}: ${reason}`)].join('\n');
  }

  add(usage: Usage | null): void {
    if (!usage) return;
    const { inputTokens = 0, outputTokens = 0, cost } = this.total ?? {};
    const isPriced = cost !== undefined || usage.cost !== undefined;
    this.total = {
      inputTokens: inputTokens + usage.inputTokens,
      outputTokens: outputTokens + usage.outputTokens,
      ...(isPriced && { cost: (cost ?? 0) + (usage.cost ?? 0) }),
    };
  }
}
