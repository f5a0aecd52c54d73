import { setTimeout as delay } from 'node:timers/promises';
import type { UIMessageChunk } from 'ai';
import { ProviderError } from '#server/core/errors';
import type { CompactionReason } from '#server/core/events';
import { createId } from '#server/core/ids';
import type { Session, Turn } from '#server/core/messages';
import type { Calibrations } from '#server/context/calibrations';
import type { ContextSettings } from '#server/context/context-settings';
import { fixedTokens, observe } from '#server/context/current-tokens';
import { toolOutputText } from '#server/core/part-text';
import { withTokens } from '#server/context/part-tokens';
import type { ContextManager, PreparedContext } from '#server/context/context-manager';
import type { ContextRequest } from '#server/context/context-request';
import type { ContentBackend } from '#server/content/content-backend';
import { AnswerWriter, type MessageWriter } from '#server/agent/answer-writer';
import { classifyProviderError } from '#server/agent/provider-errors';
import { type PendingCall, runToolCall } from '#server/agent/run-tool-call';
import { callModel } from '#server/agent/call-model';
import { continueNote, cutForGood } from '#server/agent/continuation';
import { type ContextSources, contextRequest, sessionInstructions } from '#server/agent/session-context';
import { type StepOutcome, StreamProcessor } from '#server/agent/stream-processor';
import type { ResolvedModel } from '#server/models/model-registry';
import { findTool } from '#server/tools/index';
import type { HistoryReader } from '#server/tools/tool';

export interface TurnSettings {
  /** Model calls in one turn. Default 50. */
  readonly maxSteps: number;
}

export interface TurnDependencies {
  readonly messages: MessageWriter;
  readonly context: ContextManager;
  readonly sources: ContextSources;
  readonly calibrations: Pick<Calibrations, 'learn'>;
  readonly content: ContentBackend;
  /** US dollars of a session so far; null where no provider says it. */
  readonly costOf: (sessionId: string) => Promise<number | null>;
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

/** The result of a call that came with an answer that failed: what else it would have said is not known. */
const BROKEN_OFF = 'Not run: the answer that asked for it broke off.';

/**
 * Carries out one turn: prepare the context, one model call, run its tool calls, again, until the model asks for no
 * more tools. Everything is stored as it happens; what it publishes folds into the same message that a reload shows.
 */
export class TurnExecutor {
  readonly #deps: TurnDependencies;
  readonly #input: TurnInput;
  /** As they are for the step that runs: the window, the learned factor and the settings may change in mid-turn. */
  #resolved: ResolvedModel;
  #request: ContextRequest;
  /** The first assistant message's id is the id of the streamed UI message. */
  #nextMessageId: string = createId('msg');
  /** What the running step, or the last one, has said; null when it said nothing. */
  #lastMessageId: string | null = null;
  #compactionChunkId = '';
  readonly #listener = {
    onCompaction: (data: { phase: string }) => {
      if (data.phase === 'start') this.#compactionChunkId = createId('cmp');
      this.#input.publish({ type: 'data-compaction', id: this.#compactionChunkId, data });
    },
    onPrune: (data: object) => this.#input.publish({ type: 'data-prune', data, transient: true }),
  };

  /** @throws UnknownModelError */
  constructor(deps: TurnDependencies, input: TurnInput) {
    this.#deps = deps;
    this.#input = input;
    this.#resolved = this.#resolve();
    this.#request = this.#contextRequest();
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
      let continuations = 0;
      let force: CompactionReason | undefined;
      for (let step = 0; step < this.#deps.settings.maxSteps; step += 1) {
        const outcome = await this.#step(force);
        await this.#publishUsage();
        await this.#runCalls(outcome.calls);
        if (outcome.calls.some((call) => findTool(call.toolName)?.endsTurn)) return COMPLETED;
        if (!outcome.wasCut && outcome.calls.length === 0)
          return outcome.droppedCall === null ? COMPLETED : CALL_TOO_LONG;
        force = compactionAfter(outcome);
        if (force === undefined) continue;
        const { autoCompact, maxContinuations } = this.#engine();
        const isAllowed = autoCompact || force === 'provider-overflow';
        if (!isAllowed || continuations === maxContinuations) {
          return { status: 'completed', error: cutForGood(isAllowed) };
        }
        continuations += 1;
        await this.#askToContinue(outcome);
      }
      const error = `Stopped after ${this.#deps.settings.maxSteps} steps. Say "continue" to go on.`;
      return { status: 'completed', error };
    } catch (error) {
      return { status: 'failed', error: error instanceof Error ? error.message : String(error) };
    }
  }

  /**
   * One model call, repeated where the failure may pass and nothing was said yet. An overflow that the provider only
   * noticed after the answer had begun is a cut like ours.
   */
  async #step(reason: CompactionReason | undefined): Promise<StepOutcome> {
    let force = reason;
    let hasOverflowed = false;
    this.#lastMessageId = null;
    for (let attempt = 0; ; attempt += 1) {
      this.#resolved = this.#resolve();
      this.#request = this.#contextRequest();
      const prepared = await this.#deps.context.prepare(this.#request, force);
      // Once is enough, whatever the repeated request meets.
      force = undefined;
      const outcome = await this.#callModel(prepared);
      if (outcome.error === undefined) return outcome;
      const report = classifyProviderError(outcome.error);
      const { stepRetries, stepRetryDelay, stepRetryMaxWait } = this.#engine();
      if (outcome.hasContent && report.kind === 'context-overflow') return { ...outcome, wasCut: true };
      if (outcome.hasContent) {
        await this.#runCalls(outcome.calls.map((call) => ({ ...call, error: BROKEN_OFF })));
        throw providerError(report, outcome.error);
      }
      if (report.kind === 'context-overflow' && !hasOverflowed) {
        hasOverflowed = true;
        force = 'provider-overflow';
        await this.#refreshLimits();
      } else if (report.retryable && attempt < stepRetries && (report.retryAfterMs ?? 0) <= stepRetryMaxWait) {
        await delay(report.retryAfterMs ?? stepRetryDelay * 2 ** attempt, undefined, { signal: this.#input.signal });
      } else {
        throw providerError(report, outcome.error);
      }
    }
  }

  #resolve(): ResolvedModel {
    return this.#deps.sources.models.resolve(this.#input.modelId ?? this.#input.session.modelId);
  }

  #contextRequest(): ContextRequest {
    const { session, signal } = this.#input;
    const extras = { signal, listener: this.#listener };
    return contextRequest(this.#deps.sources, session, this.#resolved.id, extras);
  }

  /** What was believed of its window may be old: a local server may have loaded a shorter one. */
  async #refreshLimits(): Promise<void> {
    const done = new AbortController();
    const signal = AbortSignal.any([this.#input.signal, done.signal]);
    const refreshed = this.#deps.sources.models.refresh(true);
    try {
      await Promise.race([refreshed, delay(this.#engine().modelRefreshMaxWait, undefined, { signal })]);
    } finally {
      done.abort();
    }
  }

  async #callModel(prepared: PreparedContext): Promise<StepOutcome> {
    const { session, turn, publish, signal } = this.#input;
    const { target } = this.#request;
    const writer = new AnswerWriter(this.#deps.messages, session.id, {
      id: this.#nextMessageId,
      role: 'assistant',
      status: 'streaming',
      parentId: turn.userMessageId,
      turnId: turn.id,
      modelId: this.#resolved.id,
    });
    const processor = new StreamProcessor(writer, publish);
    const instructions = sessionInstructions(session);
    const outcome = await callModel({
      model: this.#resolved,
      target,
      settings: this.#engine(),
      instructions,
      prepared,
      processor,
      signal,
    });
    if (writer.messageId !== null) await this.#endMessage(writer.messageId, outcome, prepared.viewKey);
    const observed = outcome.usage && !outcome.wasCut ? observe(prepared.measured, outcome.usage, target) : null;
    if (observed) await this.#deps.calibrations.learn(target.modelId, observed);
    return outcome;
  }

  /** Ours, not the user's: it never counts as the newest request. */
  async #askToContinue(outcome: StepOutcome): Promise<void> {
    const { session, turn } = this.#input;
    const part = withTokens({ type: 'text', content: { text: continueNote(outcome) } });
    const note = { role: 'user', parentId: turn.userMessageId, turnId: turn.id, parts: [part] } as const;
    await this.#deps.messages.append(session.id, note);
  }

  #engine(): ContextSettings {
    return this.#deps.sources.settings();
  }

  async #endMessage(messageId: string, outcome: StepOutcome, viewKey: string): Promise<void> {
    const { status, finishReason, usage } = outcome;
    const reported = usage && { ...usage, fixedTokens: fixedTokens(this.#request.target), viewKey };
    await this.#deps.messages.updateMessage(messageId, { status, finishReason, usage: reported });
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
    let chars = this.#engine().toolOutputLimit;
    // What the calls before it returned must not cost a call its ids.
    const reserve = Math.min(this.#engine().toolReservedChars, Math.floor(chars / calls.length));
    for (const [index, call] of calls.entries()) {
      this.#input.signal.throwIfAborted();
      chars -= await this.#runCall(call, results, chars - reserve * (calls.length - index - 1));
    }
  }

  /** @returns the characters of its output, at most `chars` (an error's few words apart) */
  async #runCall(call: PendingCall, results: AnswerWriter, chars: number): Promise<number> {
    const { session, turn, publish, signal } = this.#input;
    const { messages, content, historyOf } = this.#deps;
    await messages.updatePart(call.partId, { state: 'running' });
    const origin = { actor: 'assistant', sessionId: session.id, turnId: turn.id, toolCallId: call.toolCallId } as const;
    const toolContext = { content, history: historyOf(session.id), origin, signal };
    const { toolMaxOutputChars, ...limits } = this.#engine();
    const result = await runToolCall(call, toolContext, { ...limits, maxChars: toolMaxOutputChars, most: chars });
    await results.addPart(result);
    const failed = result.state === 'error';
    await messages.updatePart(call.partId, { state: failed ? 'error' : 'completed' });
    const { toolCallId } = call;
    const { output } = result.content;
    if (output.type === 'error-text') publish({ type: 'tool-output-error', toolCallId, errorText: output.value });
    else publish({ type: 'tool-output-available', toolCallId, output: 'value' in output ? output.value : null });
    return toolOutputText(output).length;
  }

  async #publishUsage(): Promise<void> {
    const { usage } = await this.#deps.context.inspect(this.#request);
    const total = await this.#deps.costOf(this.#input.session.id);
    const data = { ...usage, cost: { ...usage.cost, total } };
    this.#input.publish({ type: 'data-context', data, transient: true });
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
}

const COMPLETED: TurnEnd = { status: 'completed', error: null };

const CALL_TOO_LONG: TurnEnd = {
  status: 'completed',
  error:
    'The answer reached the longest output that the model gives, in the middle of a tool call, which has not been run. Ask for it in smaller pieces.',
};

/** What a cut step has to be followed by; undefined after one that was not cut. */
function compactionAfter({ wasCut, error }: StepOutcome): CompactionReason | undefined {
  if (!wasCut) return undefined;
  return error === undefined ? 'real-time' : 'provider-overflow';
}

function providerError(report: { message: string; retryable: boolean }, cause: unknown): ProviderError {
  return new ProviderError(report.message, { retryable: report.retryable, cause });
}
