import { conversationSummaryInstructions } from '#prompts/prompts';
import { findSummarizer, modelTarget } from '#server/agent/session-context';
import type { KeptRounds } from '#server/completions/kept-rounds';
import { CONVERSATION_ID, StatelessStore } from '#server/completions/stateless-store';
import { type ModelTarget, createBudget } from '#server/context/budget';
import { type Calibrations, calmTokens, fixedTokens, observe, scale } from '#server/context/current-tokens';
import { ContextManager, type PreparedContext } from '#server/context/context-manager';
import type { ContextRequest } from '#server/context/ports';
import { isRequest, strategies } from '#server/context/strategies';
import type { SummaryOutcome } from '#server/core/compactions';
import type { ContextSettings } from '#server/context/settings/context-settings';
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
  /** Called with the outcome of every summary a model writes. Must not throw. */
  readonly onSummary?: (outcome: SummaryOutcome) => void;
}

/** A conversation that the client stores and sends whole with every call. */
export interface IncomingConversation {
  readonly ownerId: string;
  readonly modelId: string;
  /** In order; system and developer messages are taken out. */
  readonly messages: readonly NewMessage[];
  /** The client's own system and developer messages. */
  readonly instructions: string | null;
  /** The client's tools as JSON, to count their tokens; empty without any. */
  readonly tools: string;
  /** Output limit set by the client, tokens. Default: the model's. */
  readonly maxOutputTokens?: number | undefined;
}

/** Report of how a conversation was fitted into the window, in the model's tokens. */
export interface CompletionReport {
  readonly contextWindow: number;
  /** Estimated tokens of the request as the client sent it, and as it is sent on. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Tool outputs, inputs and images that are cleared or cut. */
  readonly prunedOutputs: number;
  /** Messages that the summary replaces. */
  readonly compactedMessages: number;
  /** Number of the summary, from 1; 0 without one. */
  readonly round: number;
  /** `kept`: written in an earlier call. */
  readonly summary: 'none' | 'new' | 'kept';
}

/** Share of the window above which a conversation is pruned and compacted before it is sent. */
const THRESHOLD = 0.8;
const STRATEGY = 'proactive-threshold';

/**
 * The context engine for one call of a client that stores its conversation itself. Only results that later calls with
 * the same beginning can reuse are stored (`KeptRounds`); no session is created.
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

  /** Opens a conversation with the rounds that earlier calls kept for the same beginning. @throws UnknownModelError */
  static async open(
    deps: CompletionContextDependencies,
    conversation: IncomingConversation,
    { signal, listener }: Pick<ContextRequest, 'signal' | 'listener'> = {},
  ): Promise<CompletionContext> {
    const { ownerId, messages, instructions, tools } = conversation;
    const modelId = deps.models.canonicalId(conversation.modelId);
    const limits = modelTarget(deps, modelId, { instructions: instructions ?? '', tools });
    const maxOutputTokens = Math.min(limits.maxOutputTokens, conversation.maxOutputTokens ?? Infinity);
    // The client chose the model for its images; if the model takes none, the provider says so.
    const target = { ...limits, maxOutputTokens, acceptsImages: true };
    const settings = () => settingsFor(deps.settings());
    const store = new StatelessStore({
      ownerId,
      // Whoever sends thoughts says that they are this model's.
      messages: messages.map((message) => (message.role === 'assistant' ? { ...message, modelId } : message)),
      contextWindow: target.contextWindow,
      rounds: deps.rounds,
      now: deps.now ?? Date.now,
    });
    await store.restore((tokens) => fixedTokens(target) + scale(tokens, target) > triggerOf(target, settings()));
    const bill = { userId: ownerId, sessionId: null, kind: 'summary' } as const;
    const summarizer = findSummarizer(deps, STRATEGY, modelId, bill, conversationSummaryInstructions);
    const request = { sessionId: CONVERSATION_ID, target, summarizer, strategy: STRATEGY, listener, signal } as const;
    return new CompletionContext(deps, store, request, settings);
  }

  /**
   * Returns the messages to send on, under the usable limit, and keeps what the engine did for later calls.
   * @param force prune and compact although it seems to fit (the provider refused it, or a step was cut)
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
   * Adds the text streamed so far and the note about the cut. A user message among them is the engine's own and never
   * counts as the request.
   */
  append(messages: readonly NewMessage[]): void {
    const request = this.#store.originals().findLast(isRequest)?.id ?? CONVERSATION_ID;
    this.#store.appendMany(
      messages.map((message) => (message.role === 'user' ? { ...message, parentId: request } : message)),
    );
  }

  /** Calibrates later token counts with the usage that the provider reported for a prepared request. */
  async learn({ measured }: PreparedContext, usage: Usage): Promise<void> {
    const observed = observe(measured, usage, this.target);
    if (observed) await this.#deps.calibrations.learn(this.target.modelId, observed);
  }

  /** Report of the last `prepare`; null before the first. */
  report(): CompletionReport | null {
    return this.#report;
  }
}

/** The engine's settings, changed for conversations stored by their client. */
function settingsFor(settings: ContextSettings): ContextSettings {
  return {
    ...settings,
    proactiveThreshold: THRESHOLD,
    // Clients send conversations here to have them compacted.
    autoCompact: true,
    backgroundSummaries: false,
    // A client's tool may share a name with one of ours.
    exemptTools: new Set(),
  };
}

/** Tokens above which a conversation is compacted, in calibrated tokens. */
function triggerOf(target: ModelTarget, settings: ContextSettings): number {
  const budget = createBudget(target, settings, fixedTokens(target));
  return calmTokens(strategies[STRATEGY].trigger(budget, settings), settings);
}

/** Response headers that report how the conversation was fitted into the window. */
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
