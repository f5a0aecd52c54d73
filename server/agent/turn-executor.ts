import { setTimeout as delay } from 'node:timers/promises';
import { type UIMessageChunk, streamText } from 'ai';
import { ProviderError } from '#server/core/errors';
import type { CompactionReason } from '#server/core/events';
import { createId } from '#server/core/ids';
import type { Session, Turn } from '#server/core/messages';
import { maxOutputTokens } from '#server/context/budget';
import { fixedTokens } from '#server/context/current-tokens';
import type { ContextManager, PreparedContext } from '#server/context/context-manager';
import type { ContextRequest } from '#server/context/context-request';
import type { ContentBackend } from '#server/content/content-backend';
import { AnswerWriter, type MessageWriter } from '#server/agent/answer-writer';
import { classifyProviderError } from '#server/agent/provider-errors';
import { type PendingCall, runToolCall, type ToolLimits } from '#server/agent/run-tool-call';
import { toSdkMessages } from '#server/agent/sdk-messages';
import { contextRequest, sessionInstructions } from '#server/agent/session-context';
import { type StepOutcome, StreamProcessor } from '#server/agent/stream-processor';
import { toToolSet } from '#server/agent/tool-set';
import type { ModelRegistry, ResolvedModel } from '#server/models/model-registry';
import { findTool, tools } from '#server/tools/index';
import type { HistoryReader } from '#server/tools/tool';

export interface TurnSettings {
  /** Model calls in one turn. Default 50. */
  readonly maxSteps: number;
  readonly toolLimits: ToolLimits;
}

export interface TurnDependencies {
  readonly messages: MessageWriter;
  readonly context: ContextManager;
  readonly models: ModelRegistry;
  readonly content: ContentBackend;
  readonly historyOf: (sessionId: string) => HistoryReader;
  readonly settings: TurnSettings;
}

export interface TurnInput {
  readonly turn: Turn;
  readonly session: Session;
  /** Overrides the session's model for this turn. */
  readonly modelId: string | null;
  readonly publish: (chunk: UIMessageChunk) => void;
  readonly signal: AbortSignal;
}

/** How a turn ended; `error` is plain words for the user. */
export interface TurnEnd {
  readonly status: 'completed' | 'failed';
  readonly error: string | null;
}

/** The same request again, for failures that may pass (busy, connection lost). Ours, so that nothing is hidden. */
const MAX_RETRIES = 2;
const RETRY_AFTER_MS = 500;
/** A provider that asks for a longer pause is not waited for: the user decides. */
const MAX_RETRY_WAIT_MS = 30_000;

/** The result of a call that came with an answer that failed: what else it would have said is not known. */
const BROKEN_OFF = 'Not run: the answer that asked for it broke off.';

const toolSet = toToolSet(tools);

/**
 * Addresses of files go to the provider as they are. The SDK's default is to fetch them here for models that take no
 * addresses: whoever wrote one could make this server call any host, and a dead link would end every later turn.
 */
const neverDownload = (wanted: readonly unknown[]) => Promise.resolve(wanted.map(() => null));

/**
 * Carries out one turn: prepare the context, one model call, run its tool calls, again, until the model asks for no
 * more tools. Everything is stored as it happens; what it publishes folds into the same message that a reload shows.
 */
export class TurnExecutor {
  readonly #deps: TurnDependencies;
  readonly #input: TurnInput;
  readonly #resolved: ResolvedModel;
  readonly #request: ContextRequest;
  /** The first assistant message's id is the id of the streamed UI message. */
  #nextMessageId: string = createId('msg');
  /** What the running step, or the last one, has said; null when it said nothing. */
  #lastMessageId: string | null = null;
  #compactionChunkId = '';

  /** @throws UnknownModelError */
  constructor(deps: TurnDependencies, input: TurnInput) {
    this.#deps = deps;
    this.#input = input;
    const { session, signal } = input;
    this.#resolved = deps.models.resolve(input.modelId ?? session.modelId);
    this.#request = contextRequest(deps.models, session, this.#resolved.id, { signal, listener: this.#listener() });
  }

  /** Never throws for what a model or tool does; the error is in the result and, if anything was said, stored. */
  async run(): Promise<TurnEnd> {
    const { publish } = this.#input;
    publish({
      type: 'start',
      messageId: this.#nextMessageId,
      messageMetadata: { createdAt: Date.now(), status: 'streaming' },
    });
    const end = await this.#steps();
    // A turn that was taken away belongs to who took it: nothing more is stored here.
    if (!this.#input.signal.aborted) await this.#close(end);
    if (end.error !== null) publish({ type: 'error', errorText: end.error });
    return end;
  }

  async #close(end: TurnEnd): Promise<void> {
    await this.#deps.context.prune(this.#request, 'turn-end');
    await this.#publishUsage();
    if (end.error !== null) await this.#storeError(end);
  }

  async #steps(): Promise<TurnEnd> {
    try {
      for (let step = 0; step < this.#deps.settings.maxSteps; step += 1) {
        const outcome = await this.#step();
        await this.#publishUsage();
        if (outcome.calls.length === 0) return COMPLETED;
        await this.#runCalls(outcome.calls);
        if (outcome.calls.some((call) => findTool(call.toolName)?.endsTurn)) return COMPLETED;
      }
      const error = `Stopped after ${this.#deps.settings.maxSteps} steps. Say "continue" to go on.`;
      return { status: 'completed', error };
    } catch (error) {
      return { status: 'failed', error: error instanceof Error ? error.message : String(error) };
    }
  }

  /** One model call, repeated where the failure may pass and nothing was said yet. */
  async #step(): Promise<StepOutcome> {
    let force: CompactionReason | undefined;
    this.#lastMessageId = null;
    for (let attempt = 0; ; attempt += 1) {
      const prepared = await this.#deps.context.prepare(this.#request, force);
      const outcome = await this.#callModel(prepared);
      if (outcome.error === undefined) return outcome;
      const report = classifyProviderError(outcome.error);
      if (outcome.hasContent) {
        await this.#runCalls(outcome.calls.map((call) => ({ ...call, error: BROKEN_OFF })));
        throw providerError(report, outcome.error);
      }
      if (report.kind === 'context-overflow' && force === undefined) {
        force = 'provider-overflow';
      } else if (report.retryable && attempt < MAX_RETRIES && (report.retryAfterMs ?? 0) <= MAX_RETRY_WAIT_MS) {
        await delay(report.retryAfterMs ?? RETRY_AFTER_MS * 2 ** attempt, undefined, { signal: this.#input.signal });
      } else {
        throw providerError(report, outcome.error);
      }
    }
  }

  async #callModel(prepared: PreparedContext): Promise<StepOutcome> {
    const { session, turn, publish, signal } = this.#input;
    const writer = new AnswerWriter(this.#deps.messages, session.id, {
      id: this.#nextMessageId,
      role: 'assistant',
      status: 'streaming',
      parentId: turn.userMessageId,
      turnId: turn.id,
      modelId: this.#resolved.id,
    });
    const { stream } = streamText({
      model: this.#resolved.model,
      instructions: sessionInstructions(session),
      messages: toSdkMessages(prepared.messages),
      tools: toolSet,
      maxRetries: 0,
      maxOutputTokens: maxOutputTokens(this.#request.target, prepared.usage.currentTokens),
      abortSignal: signal,
      experimental_download: neverDownload,
      // Errors are in the stream and handled there; the default would also print them.
      onError: () => undefined,
    });
    const outcome = await new StreamProcessor(writer, publish).run(stream);
    if (writer.messageId !== null) await this.#endMessage(writer.messageId, outcome);
    return outcome;
  }

  async #endMessage(messageId: string, outcome: StepOutcome): Promise<void> {
    const { status, finishReason, usage } = outcome;
    const withFixed = usage && { ...usage, fixedTokens: fixedTokens(this.#request.target) };
    await this.#deps.messages.updateMessage(messageId, { status, finishReason, usage: withFixed });
    this.#lastMessageId = messageId;
    this.#nextMessageId = createId('msg');
  }

  /** Runs the step's calls in order and stores each result as it finishes, in one tool message. */
  async #runCalls(calls: readonly PendingCall[]): Promise<void> {
    const { session, turn } = this.#input;
    const results = new AnswerWriter(this.#deps.messages, session.id, {
      role: 'tool',
      parentId: turn.userMessageId,
      turnId: turn.id,
    });
    for (const call of calls) {
      this.#input.signal.throwIfAborted();
      await this.#runCall(call, results);
    }
  }

  async #runCall(call: PendingCall, results: AnswerWriter): Promise<void> {
    const { session, turn, publish, signal } = this.#input;
    const { messages, content, historyOf, settings } = this.#deps;
    await messages.updatePart(call.partId, { state: 'running' });
    const origin = { actor: 'assistant', sessionId: session.id, turnId: turn.id, toolCallId: call.toolCallId } as const;
    const toolContext = { content, history: historyOf(session.id), origin, signal };
    const result = await runToolCall(call, toolContext, settings.toolLimits);
    await results.addPart(result);
    const failed = result.state === 'error';
    await messages.updatePart(call.partId, { state: failed ? 'error' : 'completed' });
    const { toolCallId } = call;
    const { output } = result.content;
    if (output.type === 'error-text') publish({ type: 'tool-output-error', toolCallId, errorText: output.value });
    else publish({ type: 'tool-output-available', toolCallId, output: 'value' in output ? output.value : null });
  }

  async #publishUsage(): Promise<void> {
    const { usage } = await this.#deps.context.inspect(this.#request);
    this.#input.publish({ type: 'data-context', data: usage, transient: true });
  }

  /** Kept with what the last step said, or as a failed message of its own. */
  async #storeError({ error, status }: TurnEnd): Promise<void> {
    if (this.#lastMessageId !== null) return this.#deps.messages.updateMessage(this.#lastMessageId, { error });
    const { session, turn } = this.#input;
    const message = await this.#deps.messages.append(session.id, {
      id: this.#nextMessageId,
      role: 'assistant',
      status: status === 'failed' ? 'failed' : 'complete',
      parentId: turn.userMessageId,
      turnId: turn.id,
      modelId: this.#resolved.id,
      parts: [],
    });
    return this.#deps.messages.updateMessage(message.id, { error });
  }

  #listener() {
    const { publish } = this.#input;
    return {
      onCompaction: (data: { phase: string }) => {
        if (data.phase === 'start') this.#compactionChunkId = createId('cmp');
        publish({ type: 'data-compaction', id: this.#compactionChunkId, data });
      },
      onPrune: (data: object) => publish({ type: 'data-prune', data, transient: true }),
    };
  }
}

const COMPLETED: TurnEnd = { status: 'completed', error: null };

function providerError(report: { message: string; retryable: boolean }, cause: unknown): ProviderError {
  return new ProviderError(report.message, { retryable: report.retryable, cause });
}
