import { conversationSummaryInstructions } from '#prompts/prompts';
import { findSummarizer, modelTarget } from '#server/agent/session-context';
import type { KeptRounds } from '#server/completions/kept-rounds';
import { CONVERSATION_ID, StatelessStore } from '#server/completions/stateless-store';
import { createBudget } from '#server/context/budget';
import type { Calibrations } from '#server/context/calibration';
import { ContextManager, type PreparedContext } from '#server/context/context-manager';
import type { ContextRequest } from '#server/context/context-snapshot';
import { calmTokens, fixedTokens, type ModelTarget, observe, scale } from '#server/context/current-tokens';
import { isRequest } from '#server/context/plan-compaction';
import type { SummaryOutcome } from '#server/core/compactions';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { strategies } from '#server/context/strategies';
import type { CompactionReason } from '#server/core/events';
import type { NewMessage, Usage } from '#server/core/messages';
import type { ModelRegistry } from '#server/models/model-registry';

export interface CompletionContextDependencies {
  readonly models: ModelRegistry;
  readonly settings: () => ContextSettings;
  readonly calibrations: Pick<Calibrations, 'factor' | 'learn'>;
  readonly rounds: KeptRounds;
  /** Epoch milliseconds. Default: the clock. */
  readonly now?: () => number;
  /** Told what becomes of summaries that models write. Must not throw. */
  readonly onSummary?: (outcome: SummaryOutcome) => void;
}

/** A conversation that its client keeps and sends whole with every call. */
export interface IncomingConversation {
  readonly ownerId: string;
  readonly modelId: string;
  /** In order; system and developer messages are taken out. */
  readonly messages: readonly NewMessage[];
  /** The client's own, and nothing else. */
  readonly instructions: string | null;
  /** The client's tools as JSON, to be counted; empty without any. */
  readonly tools: string;
  /** The most that the client takes. Default: what the model gives. */
  readonly maxOutputTokens?: number | undefined;
}

/** What was done to a conversation to get it under the window, in the model's tokens. */
export interface CompletionReport {
  readonly contextWindow: number;
  /** Of the request as the client sent it, and of the one that is sent on; estimates. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Tool outputs, inputs and images that are cleared or cut. */
  readonly prunedOutputs: number;
  /** Messages that the summary stands for. */
  readonly compactedMessages: number;
  /** Of the summary, 1 for the conversation's first; 0 without one. */
  readonly round: number;
  /** `kept`: written in an earlier call. */
  readonly summary: 'none' | 'new' | 'kept';
}

/** Of the window: above it a conversation is pruned and compacted before it is sent. */
const THRESHOLD = 0.8;
const STRATEGY = 'proactive-threshold';

/**
 * The context engine for one call of a client that keeps its conversation itself. Nothing is stored but what later
 * calls with the same beginning can use again (`KeptRounds`); sessions know nothing of it.
 */
export class CompletionContext {
  readonly target: ModelTarget;
  readonly #deps: CompletionContextDependencies;
  readonly #store: StatelessStore;
  readonly #manager: ContextManager;
  readonly #request: ContextRequest;
  readonly #tokensBefore: number;
  #report: CompletionReport | null = null;

  private constructor(
    deps: CompletionContextDependencies,
    store: StatelessStore,
    request: ContextRequest,
    settings: () => ContextSettings,
  ) {
    const now = deps.now ?? Date.now;
    this.#deps = deps;
    this.#store = store;
    this.#request = request;
    this.target = request.target;
    const { onSummary } = deps;
    this.#manager = new ContextManager({ store, ledger: () => Promise.resolve([]), settings, now, onSummary });
    this.#tokensBefore = fixedTokens(request.target) + scale(store.sentTokens(), request.target);
  }

  /** With what earlier calls did to the same beginning. @throws UnknownModelError */
  static async open(
    deps: CompletionContextDependencies,
    conversation: IncomingConversation,
    { signal, listener }: Pick<ContextRequest, 'signal' | 'listener'> = {},
  ): Promise<CompletionContext> {
    const { ownerId, messages, instructions, tools } = conversation;
    const modelId = deps.models.canonicalId(conversation.modelId);
    const limits = modelTarget(deps, modelId, { instructions: instructions ?? '', tools });
    const maxOutputTokens = Math.min(limits.maxOutputTokens, conversation.maxOutputTokens ?? Infinity);
    // Who sends an image knows the model; should it see none, its provider says so.
    const target = { ...limits, maxOutputTokens, acceptsImages: true };
    const settings = () => settingsFor(deps.settings());
    const store = new StatelessStore({
      ownerId,
      messages,
      contextWindow: target.contextWindow,
      rounds: deps.rounds,
      now: deps.now ?? Date.now,
    });
    await store.restore((tokens) => fixedTokens(target) + scale(tokens, target) > triggerOf(target, settings()));
    const summarizer = findSummarizer(deps, STRATEGY, modelId, conversationSummaryInstructions);
    const request = { sessionId: CONVERSATION_ID, target, summarizer, strategy: STRATEGY, listener, signal } as const;
    return new CompletionContext(deps, store, request, settings);
  }

  /**
   * The messages to send on, under the usable limit; what the engine did for it is kept for later calls.
   * @param force prune and compact although it seems to fit (the provider said it does not, or a step was cut)
   * @throws ContextOverflowError when nothing brings it under the window
   */
  async prepare(force?: CompactionReason): Promise<PreparedContext> {
    const prepared = await this.#manager.prepare(this.#request, force);
    const summarized = this.#store.summarized;
    this.#report = {
      contextWindow: this.target.contextWindow,
      tokensBefore: this.#tokensBefore,
      tokensAfter: prepared.tokens.final,
      prunedOutputs: await this.#store.prunedParts(),
      compactedMessages: summarized?.messages ?? 0,
      round: summarized?.round ?? 0,
      summary: summarized ? (summarized.isKept ? 'kept' : 'new') : 'none',
    };
    return prepared;
  }

  /**
   * Adds what was streamed so far and what the next step is told about the cut. A user message among them is the
   * engine's own and never counts as the request.
   */
  append(messages: readonly NewMessage[]): void {
    const request = this.#store.originals().findLast(isRequest)?.id ?? CONVERSATION_ID;
    this.#store.appendMany(
      messages.map((message) => (message.role === 'user' ? { ...message, parentId: request } : message)),
    );
  }

  /** Takes in what a provider reported for a prepared request; it calibrates the counts of all later ones. */
  async learn({ measured }: PreparedContext, usage: Usage): Promise<void> {
    const observed = observe(measured, usage, this.target);
    if (observed) await this.#deps.calibrations.learn(this.target.modelId, observed);
  }

  /** What the last `prepare` came to; null before it. */
  report(): CompletionReport | null {
    return this.#report;
  }
}

/** The engine's settings with what holds for conversations that are kept elsewhere. */
function settingsFor(settings: ContextSettings): ContextSettings {
  return {
    ...settings,
    proactiveThreshold: THRESHOLD,
    // Who sends a conversation here asks for exactly this.
    autoCompact: true,
    backgroundSummaries: false,
    // A client's tool may have the name of one of ours.
    exemptTools: new Set(),
  };
}

/** The most that a conversation may have, as it is counted here, not to be compacted. */
function triggerOf(target: ModelTarget, settings: ContextSettings): number {
  const budget = createBudget(target, settings, fixedTokens(target));
  return calmTokens(strategies[STRATEGY].trigger(budget, settings), settings);
}

/** What was done to a conversation before its answer began, as response headers. */
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
