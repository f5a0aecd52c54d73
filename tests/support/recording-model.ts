import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { countTokens } from '#server/context/tokens';

/** A request exactly as the model was sent it. */
export interface RecordedCall {
  readonly options: LanguageModelV4CallOptions;
  /** Instructions, messages and tools with all ids and brackets: on the high side of what a provider would count. */
  readonly tokens: number;
}

/** Counted on the request alone, apart from the engine: as JSON, with the escapes undone that JSON adds to texts. */
function countRequest({ prompt, tools }: LanguageModelV4CallOptions): number {
  const json = JSON.stringify({ prompt, tools });
  return countTokens(json.replaceAll('\\n', '\n').replaceAll('\\"', '"'));
}

/** A model that keeps every request it is sent. */
export function recordCalls(model: LanguageModelV4): { model: LanguageModelV4; calls: RecordedCall[] } {
  const calls: RecordedCall[] = [];
  const record = (options: LanguageModelV4CallOptions) => {
    calls.push({ options, tokens: countRequest(options) });
  };
  return {
    calls,
    model: {
      ...model,
      specificationVersion: 'v4',
      doGenerate(options) {
        record(options);
        return model.doGenerate(options);
      },
      doStream(options) {
        record(options);
        return model.doStream(options);
      },
    },
  };
}
