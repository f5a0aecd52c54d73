import { streamText, type TextStreamPart, type ToolSet } from 'ai';
import { neverDownload, toSdkRequest } from '#server/agent/sdk-messages';
import type { StepOutcome, StreamProcessor } from '#server/agent/stream-processor';
import { toToolSet } from '#server/agent/toolboxes';
import { type ModelTarget, maxOutputTokens } from '#server/context/budget';
import type { PreparedContext } from '#server/context/context-manager';
import { cautiousTokens } from '#server/context/current-tokens';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { countTokens, STORED_VOCABULARY, type Vocabulary, vocabularyOf } from '#server/context/tokens';
import type { Usage } from '#server/core/messages';
import type { OpenedModel } from '#server/models/model-registry';
import { recordTokens, inSpan } from '#server/observability/telemetry';
import type { Toolbox } from '#server/tools/tool';

export interface ModelCall {
  readonly model: Pick<OpenedModel, 'id' | 'model'>;
  readonly target: ModelTarget;
  readonly instructions: string;
  readonly toolbox: Toolbox;
  readonly prepared: PreparedContext;
  readonly processor: StreamProcessor;
  readonly settings: Pick<ContextSettings, 'estimateMargin'>;
  /**
   * False: it may only say something. The tools stay in the request, where calls of theirs may be; of calls that are
   * made all the same the SDK lets nothing through.
   */
  readonly mayCall: boolean;
  readonly signal: AbortSignal;
}

/**
 * One model call, watched: it is ended cleanly when request and output together reach the real-time limit, or when the
 * output cap that the window imposed (not the model's own) has cut it. Such a step is `wasCut`, and where the provider
 * reports nothing its usage is our estimate.
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
  const { model, target, instructions, toolbox, prepared, processor, settings, mayCall, signal } = call;
  const { currentTokens } = prepared.usage;
  const { cap, watch } = outputLimits(target, prepared, settings);
  const ended = new AbortController();
  const { stream } = streamText({
    model: model.model,
    ...toSdkRequest(instructions, prepared.messages, model.id),
    tools: toToolSet(toolbox),
    toolChoice: mayCall ? 'auto' : 'none',
    maxRetries: 0,
    maxOutputTokens: cap,
    abortSignal: AbortSignal.any([signal, ended.signal, processor.unstorable]),
    experimental_download: neverDownload,
    // Errors are in the stream and handled there; the default would also print them.
    onError: () => undefined,
  });
  const outcome = await processor.run(stream, (part) => watch.add(part));
  ended.abort();
  if (!outcome.wasCut && !isCutByCap(outcome, cap, target, watch)) return outcome;
  const estimated: Usage = { inputTokens: currentTokens, outputTokens: watch.tokens };
  return { ...outcome, wasCut: true, usage: outcome.usage ?? estimated };
}

/**
 * The limits of a step's output: the model's own or the room that the request leaves, and the watch that ends the step
 * at the real-time limit. A server that counts more than we do would refuse a cap that goes up to its window.
 */
export function outputLimits(
  target: ModelTarget,
  { measured, realTimeLimit, usage: { currentTokens } }: Pick<PreparedContext, 'measured' | 'realTimeLimit' | 'usage'>,
  settings: Pick<ContextSettings, 'estimateMargin'>,
): { readonly cap: number; readonly watch: OutputWatch } {
  const room = realTimeLimit - currentTokens;
  const cap = maxOutputTokens(target, Math.min(room, target.contextWindow - cautiousTokens(measured, settings)));
  return { cap, watch: new OutputWatch(room, target.tokenFactor, vocabularyOf(target.modelId)) };
}

/** Share of a cap: an answer that ends below it was ended by a limit of the provider's. */
const NEARLY = 0.9;

/** Tells whether the room imposed on an answer has ended it, not a limit of the model or its server. */
export function isCutByCap(
  { finishReason, usage }: Pick<StepOutcome, 'finishReason' | 'usage'>,
  cap: number,
  { maxOutputTokens: limit }: Pick<ModelTarget, 'maxOutputTokens'>,
  watch: OutputWatch,
): boolean {
  const used = usage?.outputTokens ?? watch.tokens;
  return finishReason === 'length' && cap < limit && used >= cap * NEARLY;
}

/** Characters that are counted together: a word in pieces would cost more than the word. */
const BATCH_CHARS = 500;
/** A token is one byte at least; a UTF-16 unit is three of UTF-8 at most. */
const MOST_TOKENS_PER_CHAR = 3;

/** Counts what a step has streamed and says when request and output together have reached the limit. */
export class OutputWatch {
  readonly #room: number;
  readonly #factor: number;
  readonly #vocabulary: Vocabulary;
  #counted = 0;
  #pending = '';

  /**
   * @param room tokens between the request and the real-time limit
   * @param factor what a token of our count is in the model's
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

  /** Takes in one part of the stream; true once the limit is reached. */
  add(part: TextStreamPart<ToolSet>): boolean {
    const text = outputOf(part);
    if (text === '') return false;
    this.#pending += text;
    if (this.#pending.length >= BATCH_CHARS) {
      this.#counted += countTokens(this.#pending, this.#vocabulary);
      this.#pending = '';
    }
    // Counting is what costs here: where it cannot matter yet, it is left out.
    const most = this.#counted + this.#pending.length * MOST_TOKENS_PER_CHAR;
    return Math.ceil(most * this.#factor) >= this.#room && this.tokens >= this.#room;
  }
}

function outputOf(part: TextStreamPart<ToolSet>): string {
  if (part.type === 'text-delta' || part.type === 'reasoning-delta') return part.text;
  return part.type === 'tool-input-delta' ? part.delta : '';
}
