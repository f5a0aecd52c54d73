import { viewShares } from '#server/context/budget';
import { cautiousTokens } from '#server/context/current-tokens';
import { callsMade, MAX_COMPACTION_CALLS, nextPause } from '#server/context/breaker';
import { changesSince, recordText, type SummaryFacts, touchedThings } from '#server/context/compose-summary';
import type { ContextSnapshot } from '#server/context/context-snapshot';
import { checkNarrative, narrativeOf } from '#server/context/narrative';
import { applyPrunedConversation, type ModelResult, type Strategy } from '#server/context/strategies';
import { type CompactionPlan, headOf, keptBy, rawTokens } from '#server/context/compaction-plan';
import type {
  CompactionCost,
  ContextRequest,
  EngineState,
  PastCompactions,
  Summarizer,
  SummarizerFault,
  SummaryAnswer,
  SummaryAttempt,
} from '#server/context/ports';
import { readTurns } from '#server/context/record/record';
import { renderTranscript } from '#server/context/render-transcript';
import { countTokens, vocabularyOf } from '#server/context/tokens';
import { cutToLeast, markerOf } from '#server/context/view';
import type { CompactionTrigger, LedgerEntry } from '#server/core/conversation/compactions';
import type { ServerText } from '#server/core/coded-message';
import { textOfError } from '#server/core/errors';
import { isServerText } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import { orAborted } from '#server/core/async';
import type { Message, Usage } from '#server/core/conversation/messages';

/* Asks a model for a summary: within limits of time and calls, with a second attempt if its text is not usable. */

/** Why and how a summary is written. */
export interface SummaryOrder {
  readonly strategy: Strategy;
  readonly reason: CompactionTrigger;
  /** Points that the user asks the summary to pay attention to. */
  readonly instructions?: string | undefined;
  readonly budget: CallBudget;
}

/** A planned compaction that needs a summary. */
export interface SummaryJob extends SummaryOrder {
  readonly process: EngineState;
  readonly request: ContextRequest;
  readonly snapshot: ContextSnapshot;
  readonly plan: CompactionPlan;
  readonly past: PastCompactions;
  /** Collects the cost of the model calls and the reasons why their texts were refused. */
  readonly spent: SummaryCost;
}

/** A narrative that a model has written. */
export interface WrittenNarrative {
  /** The model that wrote it. */
  readonly modelId: string | null;
  readonly narrative: string;
  /** Position (`seq`) of the first message that the model has not read. */
  readonly until: number;
  /** Computes from a journal what has changed since the end of the transcript that the model read. */
  readonly changed: (now: readonly LedgerEntry[]) => LedgerEntry[];
}

/** Tokens of the frame of a summary in addition to its text. */
const FRAME_MARGIN = 50;

/** Share of a summary that the narrative takes at most, so that the record has its place beside a large newest step. */
const NARRATIVE_SHARE = 0.4;

/** What is read for a summary: the same for every cut that is tried at that moment. */
type Sources = Pick<SummaryFacts, 'messages' | 'journal' | 'things' | 'wishes' | 'letGo' | 'standing'>;

/**
 * Reads the conversation before a position (`seq`), and the site.
 * @param history messages before that position, if they were read already: unlike the site, they do not change
 */
export async function readSources(
  { request: { session, site, signal } }: SummaryJob,
  seq: number,
  history?: readonly Message[],
): Promise<Sources> {
  const messages = history ?? (await session.loadBefore(seq));
  const journal = (await site?.ledger()) ?? [];
  return {
    messages,
    journal,
    things: (await site?.state(touchedThings(journal), signal)) ?? [],
    wishes: await session.preferences(),
    letGo: await session.removedPreferences(),
    standing: site?.standing() ?? '',
  };
}

/**
 * Collects the facts that code keeps, from the stored messages and the journal, for the summary of a plan.
 * @param sources read at the position of the plan's cut, or a later one
 */
export async function gatherFacts(job: SummaryJob, plan: CompactionPlan, sources?: Sources): Promise<SummaryFacts> {
  const { snapshot, past } = job;
  const { budget, target, settings } = snapshot;
  const vocabulary = vocabularyOf(target.modelId);
  const kept = keptBy(plan);
  const room = Math.floor((budget.usable - budget.fixed) / target.tokenFactor) - FRAME_MARGIN;
  const left = room - rawTokens(kept);
  const cut = plan.tail[0].seq;
  const read = sources ?? (await readSources(job, cut));
  const { journal } = read;
  const messages = read.messages.filter(({ seq }) => seq < cut);
  return {
    ...read,
    round: past.count + 1,
    messages,
    turns: await readTurns(messages, journal, { until: plan.tail[0].createdAt, readingTools: settings.readingTools }),
    kept,
    cutsTurn: plan.cutsTurn,
    shares: viewShares(Math.floor(budget.view / target.tokenFactor), settings),
    // Messages that do not fit completely will be cut.
    tokens: Math.min(plan.summaryTokens, left > 0 ? left : room - rawTokens(cutToLeast(kept, vocabulary))),
    messageTokens: Math.floor((budget.usable * settings.messageShare) / target.tokenFactor),
    count: (text) => countTokens(text, vocabulary),
  };
}

/** Narrative in the previous summary. */
export function previousNarrative({ snapshot }: SummaryJob): string | null {
  const marker = markerOf(snapshot.stored);
  return marker ? (marker.narrative ?? narrativeOf(marker.summary)) : null;
}

/**
 * The checked text of a model for the plan, with its choice of messages if it makes one; null: no usable text.
 * @throws the signal's reason
 */
export async function askModel(
  job: SummaryJob,
): Promise<(WrittenNarrative & { readonly plan: CompactionPlan; readonly history: readonly Message[] }) | null> {
  const { strategy, plan, snapshot, past, budget } = job;
  const { summarizer } = job.request;
  if (!summarizer || strategy.writer === 'ledger' || strategy.writer === 'note') return null;
  if (!((await summarizer.mayAsk?.()) ?? true)) return null;
  // Failed calls in the background belong to the same compaction.
  if (job.reason !== 'manual') budget.calls += callsMade(past.pause, past.count + 1);
  const facts = await gatherFacts(job, plan);
  const most = Math.min(facts.shares.narrative, Math.floor(plan.summaryTokens * NARRATIVE_SHARE));
  const maxTokens = Math.min(snapshot.settings.narrativeMaxTokens, most);
  const continued = await continueConversation(job, maxTokens);
  const result = continued ?? (await quoteConversation(job, summarizer, facts, maxTokens));
  // Within the conversation the model reads the newest turns as well.
  const changed = changesSince(facts.journal, continued ? Infinity : plan.tail[0].createdAt);
  const until = continued ? plan.tail.at(-1)!.seq + 1 : plan.tail[0].seq;
  const { messages: history } = facts;
  return result && { plan: result.plan, narrative: result.text, until, changed, modelId: summarizer.modelId, history };
}

/** Asks for the summary, or for the choice of messages, with the conversation as quoted data. @throws the signal's reason */
async function quoteConversation(
  job: SummaryJob,
  summarizer: Summarizer,
  facts: SummaryFacts,
  maxTokens: number,
): Promise<ModelResult | null> {
  const { strategy, plan, snapshot, instructions } = job;
  const { settings, budget: room, target } = snapshot;
  const chooses = strategy.writer === 'pruning-agent';
  const { count = facts.count, inputTokens } = summarizer;
  const record = recordText({ ...facts, count }, Math.floor(inputTokens * settings.transcriptPreviousShare));
  const { leading, kept } = snapshot.stored;
  const older = new Set([...leading, ...kept].map(({ id }) => id));
  const before = { record, narrative: previousNarrative(job), older };
  const options = { ...settings, count, inputTokens, withIds: chooses };
  const { text: transcript, isWhole } = await renderTranscript(headOf(plan), before, options);
  // A model can only choose from messages that fit into its window together.
  if (chooses && !isWhole) return null;
  const verbatim = Math.max(0, room.target - room.fixed) / target.tokenFactor - plan.summaryTokens;
  const roomTokens = Math.max(0, Math.floor(verbatim - rawTokens([...plan.keptAfter, ...plan.tail])));
  const tokens = rawTokens(headOf(plan));
  const ask = (attempt: SummaryAttempt) =>
    chooses
      ? summarizer.prune({ transcript, tokens, roomTokens, ...attempt })
      : summarizer.summarize({ transcript, instructions, ...attempt });
  const read = ({ finishReason, text }: SummaryAnswer) => {
    if (!chooses) return { plan, text };
    // A truncated choice is incomplete.
    return finishReason === 'stop' ? applyPrunedConversation(text, plan, verbatim) : null;
  };
  return attempts(job, summarizer, maxTokens, ask, read);
}

/** Tokens of the message that asks for a summary within the conversation, rounded up. */
const ASKING_TOKENS = 1_000;
/** Share of the window that is left for the model's reasoning, at most `REASONING_TOKENS`. A choice, not measured. */
const REASONING_SHARE = 0.0625;
/** Tokens for the model's reasoning before it writes; fewer in small windows. */
export const REASONING_TOKENS = 8_000;
/** Time for which providers keep a prefix at least: Anthropic's default is five minutes. Milliseconds. */
const CACHED_MS = 5 * 60_000;

/**
 * Asks for the summary within the conversation itself, once: its provider has all of it in its cache, except for the
 * message that asks. Null: that is not possible or would not be served from the cache, or the answer was not usable; a
 * model that gave such an answer is not asked in this form again.
 * @throws the signal's reason
 */
async function continueConversation(job: SummaryJob, maxTokens: number): Promise<ModelResult | null> {
  const { process, request, snapshot, strategy, reason, plan, past, budget, spent } = job;
  const { measured, settings, target, messages, stored } = snapshot;
  const { summarizer } = request;
  const ask = summarizer?.continueConversation;
  if (!ask || strategy.writer !== 'narrative' || past.pause || process.quoting.has(summarizer.modelId)) return null;
  const newest = stored.messages.findLast(({ usage }) => usage !== null);
  const isCached = measured.source === 'reported' && process.now() - (newest?.createdAt ?? 0) < CACHED_MS;
  const tokens = cautiousTokens(measured, settings);
  const reasoning = Math.min(REASONING_TOKENS, target.contextWindow * REASONING_SHARE);
  const answer = Math.ceil((ASKING_TOKENS + maxTokens) * target.tokenFactor + reasoning);
  // The provider has refused a request of this size, or request and answer do not fit the window together.
  const isTooLarge = reason === 'provider-overflow' || tokens + answer > target.contextWindow;
  if (!isCached || isTooLarge || budget.callsLeft === 0) return null;
  const signal = signalOf(job);
  let problem: ServerText;
  try {
    budget.calls += 1;
    const given = await ask({ messages, tokens, maxTokens, signal });
    spent.add(given.usage);
    const checked = checkResult({ plan, text: given.text }, given, job, maxTokens);
    // Of a text that was cut off, sections are missing; quoted, the conversation leaves more tokens for it.
    const isWhole = !isServerText(checked) && given.finishReason === 'stop';
    if (isWhole) {
      await reportAttempt(job, null);
      return checked;
    }
    problem = isServerText(checked) ? checked : serverText('summary-cut-off');
    process.quoting.add(summarizer.modelId);
  } catch (error) {
    request.signal?.throwIfAborted();
    problem = summarizer.explain?.(error).reason ?? textOfError(error);
  }
  spent.refusals.push(serverText('compaction-within-conversation', { reason: problem }));
  return null;
}

/**
 * Maximum number of failed attempts; the model seldom does better after that. A model that has failed before gets one
 * attempt. A choice, not measured.
 */
const MAX_FAILURES = 2;

/** The first usable result; each attempt receives the problem of the previous one. Null if no attempt is left. */
async function attempts(
  job: SummaryJob,
  summarizer: Summarizer,
  maxTokens: number,
  ask: (attempt: SummaryAttempt) => Promise<SummaryAnswer>,
  read: (answer: SummaryAnswer) => ModelResult | null,
): Promise<ModelResult | null> {
  const { budget, spent, past, request } = job;
  const signal = signalOf(job);
  let result: ModelResult | null = null;
  let fault: SummarizerFault | null = null;
  let problem: ServerText | undefined;
  let failed = 0;
  while (failed < (past.pause ? 1 : MAX_FAILURES) && budget.callsLeft > 0) {
    const pause = fault?.retryAfterMs ?? 0;
    if (fault && (!fault.mayPass || pause > budget.msLeft)) break;
    const pauseEnd = AbortSignal.any([signal, AbortSignal.timeout(pause)]);
    if (pause > 0) await orAborted(new Promise(() => {}), pauseEnd).catch(() => undefined);
    request.signal?.throwIfAborted();
    try {
      budget.calls += 1;
      const answer = await ask({ maxTokens, problem: problem?.text, signal });
      spent.add(answer.usage);
      const checked = checkResult(read(answer), answer, job, maxTokens);
      if (!isServerText(checked)) {
        result = checked;
        break;
      }
      problem = checked;
      const reason = serverText('compaction-text-unusable', { reason: problem });
      fault = { reason, mayPass: true, hasAnswered: true };
    } catch (error) {
      request.signal?.throwIfAborted();
      fault = summarizer.explain?.(error) ?? { reason: textOfError(error), mayPass: true };
    }
    spent.refusals.push(fault.reason);
    // A provider that names a wait is only busy.
    if (fault.retryAfterMs === undefined) failed += 1;
  }
  if (result || fault) await reportAttempt(job, result ? null : fault);
  return result;
}

/** Aborts with the compaction, or at its time limit. */
function signalOf({ request, budget }: SummaryJob): AbortSignal {
  return request.signal ? AbortSignal.any([request.signal, budget.deadline]) : budget.deadline;
}

/** Returns whether a compaction was cancelled; call it only if the caller did not abort. */
export const isCancellation = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

/** A model's result with the accepted part of its text, or the problem. */
function checkResult(
  result: ModelResult | null,
  { finishReason, text }: SummaryAnswer,
  { strategy, plan, snapshot }: SummaryJob,
  maxTokens: number,
): ModelResult | ServerText {
  const checked = checkNarrative(result?.text ?? text, finishReason, maxTokens);
  if (!result) {
    const isEmpty = text.trim() === '' && 'problem' in checked;
    return isEmpty ? checked.problem : serverText('summary-choice-unreadable');
  }
  if ('problem' in checked) return checked.problem;
  const kept = { ...result, text: checked.text };
  return strategy.validate?.(kept, plan, snapshot.settings) ?? kept;
}

/** Reports that the model has written a summary (null) or failed to, and stores when it may be asked again. */
export async function reportAttempt(
  { process, request, reason: trigger, past, budget }: SummaryJob,
  fault: SummarizerFault | null,
): Promise<void> {
  const { session, summarizer } = request;
  const modelId = summarizer?.modelId ?? '';
  const outcome = fault ? (fault.wasWritten ? 'dropped' : 'failed') : 'written';
  process.watch.summary({ outcome, sessionId: session.id, modelId, trigger, reason: fault?.reason.text });
  if (fault?.wasWritten) return;
  const asked = { modelId, round: past.count + 1, calls: budget.calls };
  if (fault) await session.savePause(nextPause(past.pause, asked, fault, process.now()));
  else if (past.pause) await session.savePause(null);
}

/** Limits of time and model calls for one compaction, shared by background and foreground calls. */
export class CallBudget {
  /** Model calls so far. */
  calls = 0;
  /** Aborts at the time limit. */
  deadline: AbortSignal;
  /** Time of the limit, as `performance.now` tells it. */
  #end: number;

  constructor(ms: number) {
    this.deadline = AbortSignal.timeout(ms);
    this.#end = performance.now() + ms;
  }

  /** Milliseconds that are left. */
  get msLeft(): number {
    return this.#end - performance.now();
  }

  /** Model calls that are left; none after the time limit. */
  get callsLeft(): number {
    return this.deadline.aborted ? 0 : MAX_COMPACTION_CALLS - this.calls;
  }

  /** Adds the time and calls of earlier work for the same compaction. */
  join(earlier: CallBudget): void {
    this.deadline = AbortSignal.any([this.deadline, earlier.deadline]);
    this.#end = Math.min(this.#end, earlier.#end);
    this.calls += earlier.calls;
  }
}

/** Current cost of a job, as recorded with its failure. */
export function costOf({ process, request, strategy, snapshot, spent }: SummaryJob): CompactionCost {
  return {
    strategy: strategy.name,
    tokensBefore: snapshot.measured.estimatedTotal,
    modelId: request.summarizer?.modelId ?? null,
    contextWindow: snapshot.target.contextWindow,
    durationMs: process.now() - spent.startedAt,
    usage: spent.total,
  };
}

/**
 * Cost of the model calls for one summary, including those whose text was refused or came too late, with the reasons.
 */
export class SummaryCost {
  /** Null if nothing was reported. */
  total: Usage | null = null;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** The reasons why attempts were refused. */
  readonly refusals: ServerText[] = [];

  constructor(startedAt: number) {
    this.startedAt = startedAt;
  }

  /** The refusals, each as a sentence; null: none. */
  refusedAttempts(): readonly ServerText[] | null {
    if (this.refusals.length === 0) return null;
    return this.refusals.map((reason, index) => serverText('compaction-attempt', { count: index + 1, reason }));
  }

  /** Why a compaction failed, followed by the refusals, one per line. */
  failure(reason: ServerText): ServerText {
    const refused = this.refusedAttempts();
    return refused ? serverText('compaction-failed', { reason, attempts: refused }) : reason;
  }

  /** Adds the usage of one call. */
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
