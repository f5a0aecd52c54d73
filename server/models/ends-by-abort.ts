import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { wrapLanguageModel } from 'ai';

/**
 * The model, whose streams end by the abort of their call and by nothing else. OpenRouter's package cancels what an abort
 * has ended already, and nobody hears of that failure: an unhandled rejection for each answer that was cut.
 * Who gives up a stream has to abort the call.
 */
export function endsByAbort(model: LanguageModelV4): LanguageModelV4 {
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      async wrapStream({ doStream }) {
        const { stream, ...rest } = await doStream();
        return { ...rest, stream: uncancelled(stream) };
      },
    },
  });
}

function uncancelled(stream: ReadableStream<LanguageModelV4StreamPart>): typeof stream {
  const reader = stream.getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}
