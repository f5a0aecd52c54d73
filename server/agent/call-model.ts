import { streamText } from 'ai';
import type { Usage } from '#server/core/messages';
import { maxOutputTokens } from '#server/context/room/budget';
import type { PreparedContext } from '#server/context/context-manager';
import type { ContextSettings } from '#server/context/context-settings';
import { type ModelTarget, cautiousTokens } from '#server/context/counting/current-tokens';
import { vocabularyOf } from '#server/context/counting/vocabulary';
import { neverDownload } from '#server/agent/never-download';
import { OutputWatch } from '#server/agent/output-watch';
import { toSdkRequest } from '#server/agent/sdk-messages';
import type { StepOutcome, StreamProcessor } from '#server/agent/stream-processor';
import { toToolSet } from '#server/agent/tool-set';
import type { ResolvedModel } from '#server/models/model-registry';
import type { Toolbox } from '#server/tools/tool';

export interface ModelCall {
  readonly model: ResolvedModel;
  readonly target: ModelTarget;
  readonly instructions: string;
  readonly toolbox: Toolbox;
  readonly prepared: PreparedContext;
  readonly processor: StreamProcessor;
  readonly settings: Pick<ContextSettings, 'estimateMargin'>;
  /**
   * False: it may only say something. The tools stay in the request, where calls of theirs may be; of calls that are made
   * all the same the SDK lets nothing through.
   */
  readonly mayCall: boolean;
  readonly signal: AbortSignal;
}

/**
 * One model call, watched: it is ended cleanly when request and output together reach the real-time limit, or when the
 * output cap that the window imposed (not the model's own) has cut it. Such a step is `wasCut`, and where the provider
 * reports nothing its usage is our estimate.
 */
export async function callModel(call: ModelCall): Promise<StepOutcome> {
  const { model, target, instructions, toolbox, prepared, processor, settings, mayCall, signal } = call;
  const { currentTokens } = prepared.usage;
  const cap = maxOutputTokens(target, cautiousTokens(prepared.measured, settings));
  const watch = new OutputWatch(
    prepared.realTimeLimit - currentTokens,
    target.tokenFactor,
    vocabularyOf(target.modelId),
  );
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
  const hitOurCap = outcome.finishReason === 'length' && cap < target.maxOutputTokens;
  if (!outcome.wasCut && !hitOurCap) return outcome;
  const estimated: Usage = { inputTokens: currentTokens, outputTokens: watch.tokens };
  return { ...outcome, wasCut: true, usage: outcome.usage ?? estimated };
}
