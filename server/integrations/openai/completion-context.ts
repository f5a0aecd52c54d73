import { conversationSummaryInstructions } from '#prompts/prompts';
import type { RefusedRequest } from '#server/conversation/step/provider-errors';
import { findSummarizer, type ModelSources, modelTarget } from '#server/conversation/step/session-context';
import type { CompactionCache } from '#server/integrations/openai/compaction-cache';
import type { ProgramCompactionSink } from '#server/integrations/openai/program-compactions';
import { ClientSession } from '#server/integrations/openai/client-session';
import { type ModelTarget, createBudget } from '#server/context/budget';
import { calmTokens, cautiousTokens, fixedTokens, observe, readRequest, scale } from '#server/context/current-tokens';
import { ContextManager, type PreparedContext } from '#server/context/context-manager';
import type { ContextListener, ContextRequest, EngineProcess } from '#server/context/ports';
import { limitOf, strategies } from '#server/context/strategies';
import { countRecurringTokens, vocabularyOf } from '#server/context/tokens';
import { markerOf, verbatimMessages } from '#server/context/view';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { programRulesOf, programSettings } from '#server/context/settings/program-settings';
import { programCompactionDefaults } from '#server/core/admin/program-compaction';
import type { CompactionReason } from '#server/core/conversation/events';
import type { NewMessage, Usage } from '#server/core/conversation/messages';
import { isRequest } from '#server/core/conversation/part-text';

/** The parts of the process that conversations of clients use. */
export interface CompletionProcess extends EngineProcess, ModelSources {
  readonly rounds: CompactionCache;
  readonly programs: ProgramCompactionSink;
}

/** A conversation that the client stores and sends completely with every call. */
export interface IncomingConversation {
  readonly ownerId: string;
  readonly modelId: string;
  /** In order, without system and developer messages. */
  readonly messages: readonly NewMessage[];
  /** The client's own system and developer messages. */
  readonly instructions: string | null;
  /** The client's tools as JSON, to count their tokens; empty if it sent none. */
  readonly tools: string;
  /** Output limit set by the client, tokens. Default: the model's. */
  readonly maxOutputTokens?: number | undefined;
}

/** Report of how a conversation was fitted into the context window, in the model's tokens. */
export interface CompletionReport {
  readonly contextWindow: number;
  /** Estimated tokens of the request as the client sent it, and in the form that is forwarded. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Number of tool outputs, inputs and images that were cleared or cut. */
  readonly prunedOutputs: number;
  /** Number of messages that the summary replaces. */
  readonly compactedMessages: number;
  /** Number of the summary, from 1; 0 without a summary. */
  readonly round: number;
  /** `kept`: written in an earlier call. */
  readonly summary: 'none' | 'new' | 'kept';
}

/** A conversation that was compacted on request. */
export interface CompactedView {
  /** Null: there was nothing to compact. */
  readonly summary: string | null;
  /** Estimated. */
  readonly summaryTokens: number;
  /** For each message, in order, whether it stays word for word. */
  readonly kept: readonly boolean[];
}

/**
 * The context engine for one call of a client that stores its conversation itself. Stores only results that later calls
 * with the same beginning can reuse (`CompactionCache`); creates no session.
 */
export class CompletionContext {
  readonly target: ModelTarget;
  readonly #process: CompletionProcess;
  readonly #session: ClientSession;
  readonly #manager: ContextManager;
  readonly #request: ContextRequest;
  /** Estimated tokens of the request as the client sent it, in the model's tokens. */
  readonly tokensBefore: number;
  #report: CompletionReport | null = null;

  private constructor(process: CompletionProcess, session: ClientSession, request: ContextRequest) {
    this.#process = process;
    this.#session = session;
    this.#request = request;
    this.target = request.target;
    this.#manager = new ContextManager(process);
    this.tokensBefore = fixedTokens(request.target) + scale(session.sentTokens(), request.target);
  }

  /**
   * Opens a conversation with the rounds that earlier calls stored for the same beginning. @throws UnknownModelError
   */
  static async open(
    { settings: source, ...shared }: CompletionProcess,
    conversation: IncomingConversation,
    signal?: AbortSignal,
  ): Promise<CompletionContext> {
    const { ownerId, messages, instructions, tools } = conversation;
    const modelId = shared.models.canonicalId(conversation.modelId);
    const settings = { current: () => settingsFor(source.current(), shared.models.providerOf(modelId)) };
    const process = { ...shared, settings };
    const { strategy } = settings.current();
    const limits = modelTarget(process, modelId, { instructions: instructions ?? '', tools });
    const maxOutputTokens = Math.min(limits.maxOutputTokens, conversation.maxOutputTokens ?? Infinity);
    // The client chose the model for its images; if the model accepts none, the provider reports it.
    const target = { ...limits, maxOutputTokens, acceptsImages: true };
    const session = new ClientSession({
      ownerId,
      // Reasoning that a client sends is attributed to this model.
      messages: messages.map((message) => (message.role === 'assistant' ? { ...message, modelId } : message)),
      contextWindow: target.contextWindow,
      rounds: process.rounds,
      now: process.now,
    });
    const trigger = triggerOf(target, settings.current());
    await session.restore((tokens) => fixedTokens(target) + scale(tokens, target) > trigger);
    const summarizer = findSummarizer(process, settings.current(), {
      strategy,
      modelId,
      bill: { userId: ownerId, sessionId: null, kind: 'summary' },
      instructions: conversationSummaryInstructions,
    });
    const listener: ContextListener = {
      onCompaction(data) {
        if (data.phase === 'complete') process.programs.add(modelId, data);
      },
    };
    return new CompletionContext(process, session, {
      session,
      target,
      summarizer,
      strategy,
      listener,
      signal,
    });
  }

  /**
   * Returns the messages to send, within the usable tokens, and stores the engine's results for later calls.
   * @param force prune and compact although the conversation seems to fit (the provider refused it, or a step was cut)
   * @throws ContextOverflowError if it cannot be made to fit the context window
   */
  async prepare(force?: CompactionReason): Promise<PreparedContext> {
    const prepared = await this.#manager.prepare(this.#request, force);
    const summarized = this.#session.summarized;
    this.#report = {
      contextWindow: this.target.contextWindow,
      tokensBefore: this.tokensBefore,
      tokensAfter: prepared.tokens.final,
      prunedOutputs: await this.#session.prunedParts(),
      compactedMessages: summarized?.messages ?? 0,
      round: summarized?.round ?? 0,
      summary: summarized ? (summarized.isKept ? 'kept' : 'new') : 'none',
    };
    return prepared;
  }

  /**
   * Compacts immediately, however full the window is.
   * @throws ConflictError while another call compacts the same conversation, or the error of the summarizer
   */
  async compact(): Promise<CompactedView> {
    await this.#manager.compact(this.#request);
    const view = await this.#session.loadView();
    const marker = markerOf(view);
    const kept = new Set(verbatimMessages(view).map(({ id }) => id));
    return {
      summary: marker?.summary ?? null,
      summaryTokens: marker ? countRecurringTokens(marker.summary, vocabularyOf(this.target.modelId)) : 0,
      kept: this.#session.originals().map(({ id }) => kept.has(id)),
    };
  }

  /**
   * Adds the text streamed so far and the note about the cut. A user message among them comes from the engine and never
   * counts as the request.
   */
  append(messages: readonly NewMessage[]): void {
    const request = this.#session.originals().findLast(isRequest)?.id ?? this.#session.id;
    this.#session.appendMany(
      messages.map((message) => (message.role === 'user' ? { ...message, parentId: request } : message)),
    );
  }

  /** Stores the context window that a provider's refusal has named; it applies from the next request. */
  async learnWindow(window: number): Promise<void> {
    await this.#process.models.learnWindow(this.target.modelId, window, 'error');
  }

  /** Learns the context window from an answer that a local server has ended below the limit that was sent. */
  async noteEndedAnswer({ inputTokens, outputTokens }: Usage): Promise<void> {
    await this.#process.models.noteEndedAnswer(this.target.modelId, inputTokens + outputTokens);
  }

  /** Records that the model accepted a prepared request. */
  accept({ measured }: PreparedContext): void {
    this.#process.calibrations.accept(this.target.modelId, cautiousTokens(measured));
  }

  /** The size of a prepared request, in the form that `isSuspectedOverflow` takes. */
  sizeOf({ measured }: PreparedContext, attempt: number): RefusedRequest {
    const { modelId, contextWindow } = this.target;
    return {
      tokens: cautiousTokens(measured),
      fixedTokens: fixedTokens(this.target),
      contextWindow,
      largestAccepted: this.#process.calibrations.largestAccepted(modelId),
      attempt,
    };
  }

  /** Calibrates later token counts with the usage that the provider reported for a prepared request. */
  async learn({ measured }: PreparedContext, usage: Usage): Promise<void> {
    const { modelId } = this.target;
    const isPart = await this.#process.models.noteReport(modelId, readRequest(measured, usage, this.target));
    const observed = isPart ? null : observe(measured, usage, this.target);
    if (observed) await this.#process.calibrations.learn(this.target.modelId, observed);
  }

  /**
   * Returns whether an exact count of a prepared request could show that it does not fit. No report of an earlier step
   * covers a request here, so every one is estimated; a small one fits in any vocabulary.
   */
  needsExactCount({ measured }: PreparedContext): boolean {
    const { calibrationMaxFactor } = this.#process.settings.current();
    return measured.countedTokens * calibrationMaxFactor > this.target.contextWindow;
  }

  /** Calibrates with an exact count of a prepared request. @returns whether it is larger than it was estimated */
  async learnExact({ measured }: PreparedContext, reported: number): Promise<boolean> {
    const { modelId } = this.target;
    await this.#process.calibrations.learnExact(modelId, { reported, counted: measured.countedTokens });
    return reported > measured.currentTokens;
  }

  /** Report of the last `prepare`; null before the first. */
  report(): CompletionReport | null {
    return this.#report;
  }
}

/**
 * The engine's settings, adapted for conversations that their client stores. The administrator chooses strategy and
 * thresholds for each provider; clients cannot.
 */
function settingsFor(settings: ContextSettings, provider: string | null): ContextSettings {
  const { strategy, compactAt } = programCompactionDefaults;
  const rules = { strategy, compactAt, ...programRulesOf(settings, provider) };
  return {
    ...settings,
    ...programSettings(settings, rules),
    // Clients send conversations here in order to have them compacted.
    autoCompact: true,
    backgroundSummaries: false,
    // A client's tool may have the same name as one of ours.
    exemptTools: new Set(),
    readingTools: new Set(),
  };
}

/** Tokens above which a conversation is compacted, in calibrated tokens. */
function triggerOf(target: ModelTarget, settings: ContextSettings): number {
  const budget = createBudget(target, settings, fixedTokens(target));
  const trigger = strategies[settings.strategy].trigger(budget, settings);
  return Math.min(trigger, calmTokens(limitOf(trigger, budget), settings));
}

/** Response headers that report how the conversation was fitted into the context window. */
export function reportHeaders(report: CompletionReport | null): Record<string, string> {
  if (!report) return {};
  return {
    'x-throughline-window': String(report.contextWindow),
    'x-throughline-tokens-before': String(report.tokensBefore),
    'x-throughline-tokens': String(report.tokensAfter),
    'x-throughline-pruned-outputs': String(report.prunedOutputs),
    'x-throughline-compacted-messages': String(report.compactedMessages),
    'x-throughline-round': String(report.round),
    'x-throughline-summary': report.summary,
  };
}
