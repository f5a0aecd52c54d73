import { streamText, type TextStreamPart, type ToolSet } from 'ai';
import { neverDownload, toSdkRequest } from '#server/conversation/step/sdk-messages';
import type { StepOutcome, StreamProcessor } from '#server/conversation/step/stream-processor';
import { type ModelTarget, maxOutputTokens } from '#server/context/budget';
import type { PreparedContext } from '#server/context/context-manager';
import { cautiousTokens, type EstimateSettings } from '#server/context/current-tokens';
import { countTokens, STORED_VOCABULARY, type Vocabulary, vocabularyOf } from '#server/context/tokens';
import type { Usage } from '#server/core/conversation/messages';
import type { CallableModel } from '#server/models/model-registry';
import { LOCAL_PREFIX } from '#server/models/providers';
import { recordTokens, inSpan } from '#server/platform/telemetry/telemetry';

/** How an answer ended. */
interface AnswerEnd {
  readonly finishReason: string;
  readonly usage: Usage | null;
}

/** One request to a model, and where its stream is written. */
export interface ModelCall {
  readonly model: CallableModel;
  readonly target: ModelTarget;
  readonly instructions: string;
  readonly tools: ToolSet;
  readonly prepared: PreparedContext;
  readonly processor: StreamProcessor;
  readonly settings: EstimateSettings;
  /**
   * False: the model may only write text. The tools stay in the request, because it may contain calls of them; the SDK
   * drops any call that the model makes nevertheless.
   */
  readonly mayCall: boolean;
  readonly signal: AbortSignal;
}

/**
 * Makes one model call and watches it: ends it cleanly when request and output together reach the real-time limit, or
 * when the output cap that the window imposed (not the model's own) has cut it. Such a step is `wasCut`; if the
 * provider reports no usage, it is our estimate.
 */
export function callModel(call: ModelCall): Promise<StepOutcome> {
  const modelId = call.model.id;
  return inSpan('model call', { 'gen_ai.request.model': modelId }, async (add) => {
    const outcome = await watchedCall(call);
    const { usage, finishReason } = outcome;
    if (usage) {
      recordTokens(modelId, usage);
      add({ 'gen_ai.usage.input_tokens': usage.inputTokens, 'gen_ai.usage.output_tokens': usage.outputTokens });
    }
    if (finishReason) add({ 'gen_ai.response.finish_reasons': [finishReason] });
    return outcome;
  });
}

async function watchedCall(call: ModelCall): Promise<StepOutcome> {
  const { model, target, instructions, tools, prepared, processor, settings, mayCall, signal } = call;
  const { currentTokens } = prepared.usage;
  const { cap, watch } = outputLimits(target, prepared, settings);
  const ended = new AbortController();
  const { stream } = streamText({
    model: model.model,
    ...toSdkRequest(instructions, prepared.messages, model.id),
    tools,
    toolChoice: mayCall ? 'auto' : 'none',
    maxRetries: 0,
    maxOutputTokens: cap,
    abortSignal: AbortSignal.any([signal, ended.signal, processor.unstorable]),
    experimental_download: neverDownload,
    // Errors are handled in the stream; the default would also print them.
    onError: () => undefined,
  });
  const outcome = await processor.run(stream, (part) => watch.add(part));
  ended.abort();
  if (!outcome.wasCut && !isCutByCap(outcome, cap, target, watch)) {
    return { ...outcome, endedByServer: isEndedByServer(outcome, cap, target, watch) };
  }
  const estimated: Usage = { inputTokens: currentTokens, outputTokens: watch.tokens };
  return { ...outcome, wasCut: true, usage: outcome.usage ?? estimated };
}

interface CountedCall extends Pick<ModelCall, 'model' | 'instructions' | 'tools' | 'signal'> {
  readonly messages: PreparedContext['messages'];
}

/** Tokens of a request, as a model that only counts reports them; null if it cannot. */
export async function countExactly(call: CountedCall): Promise<number | null> {
  const { model, instructions, tools, messages, signal } = call;
  const { stream } = streamText({
    model: model.model,
    ...toSdkRequest(instructions, messages, model.id),
    tools,
    maxRetries: 0,
    abortSignal: signal,
    experimental_download: neverDownload,
    onError: () => undefined,
  });
  let tokens: number | null = null;
  for await (const part of stream) {
    if (part.type === 'finish-step') tokens = part.usage.inputTokens ?? null;
    if (part.type === 'error') return null;
  }
  return tokens;
}

/**
 * The output limits of a step: the model's own limit or the tokens that the request leaves, and the watch that ends the
 * step at the real-time limit. A server that counts more tokens than we do would refuse a cap that reaches its window.
 */
export function outputLimits(
  target: ModelTarget,
  { measured, realTimeLimit, usage: { currentTokens } }: Pick<PreparedContext, 'measured' | 'realTimeLimit' | 'usage'>,
  settings: EstimateSettings,
): { readonly cap: number; readonly watch: OutputWatch } {
  const room = realTimeLimit - currentTokens;
  const cap = maxOutputTokens(target, Math.min(room, target.contextWindow - cautiousTokens(measured, settings)));
  return { cap, watch: new OutputWatch(room, target.tokenFactor, vocabularyOf(target.modelId)) };
}

/** Share of a cap: an answer that ended below it was ended by a limit of the provider. */
const NEARLY = 0.9;

/**
 * Returns whether an answer was ended by the cap that the window imposed, not by a limit of the model or its server.
 */
export function isCutByCap(
  { finishReason, usage }: AnswerEnd,
  cap: number,
  { maxOutputTokens: limit }: ModelTarget,
  watch: OutputWatch,
): boolean {
  const used = usage?.outputTokens ?? watch.tokens;
  return finishReason === 'length' && cap < limit && used >= cap * NEARLY;
}

/**
 * Returns whether a local server has ended the answer well below the limit that was sent, most likely because its
 * context was full. Other providers also end answers at limits of the model.
 */
export function isEndedByServer(
  { finishReason, usage }: AnswerEnd,
  cap: number,
  { modelId }: ModelTarget,
  watch: OutputWatch,
): boolean {
  const used = usage?.outputTokens ?? watch.tokens;
  return finishReason === 'length' && modelId.startsWith(LOCAL_PREFIX) && used < cap * NEARLY;
}

/** Characters that are counted together: a word in pieces would count more than the word. */
const BATCH_CHARS = 500;
/** A token has at least one byte; a UTF-16 unit has at most three in UTF-8. */
const MOST_TOKENS_PER_CHAR = 3;

/** Counts what a step has streamed, and detects when request and output together reach the limit. */
export class OutputWatch {
  readonly #room: number;
  readonly #factor: number;
  readonly #vocabulary: Vocabulary;
  #counted = 0;
  #pending = '';

  /**
   * @param room tokens between the request and the real-time limit
   * @param factor tokens of the model per token of our count
   * @param vocabulary the model's; default: the stored one
   */
  constructor(room: number, factor: number, vocabulary: Vocabulary = STORED_VOCABULARY) {
    this.#room = room;
    this.#factor = factor;
    this.#vocabulary = vocabulary;
  }

  /** Output so far (text, reasoning, tool input), in the model's tokens. */
  get tokens(): number {
    return Math.ceil((this.#counted + countTokens(this.#pending, this.#vocabulary)) * this.#factor);
  }

  /** Adds one part of the stream; true once the limit is reached. */
  add(part: TextStreamPart<ToolSet>): boolean {
    const text = outputOf(part);
    if (text === '') return false;
    this.#pending += text;
    if (this.#pending.length >= BATCH_CHARS) {
      this.#counted += countTokens(this.#pending, this.#vocabulary);
      this.#pending = '';
    }
    // Counting is expensive: it is skipped while the limit cannot be reached.
    const most = this.#counted + this.#pending.length * MOST_TOKENS_PER_CHAR;
    return Math.ceil(most * this.#factor) >= this.#room && this.tokens >= this.#room;
  }
}

function outputOf(part: TextStreamPart<ToolSet>): string {
  if (part.type === 'text-delta' || part.type === 'reasoning-delta') return part.text;
  return part.type === 'tool-input-delta' ? part.delta : '';
}
