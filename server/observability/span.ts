import { type Attributes, SpanStatusCode, trace } from '@opentelemetry/api';
import { ThroughlineError } from '#server/core/errors';

/**
 * Traces `work` as a span, which costs next to nothing where no traces are collected. Of an error only its code is
 * kept: messages may quote what was written.
 * @param attributes ids, names and numbers; never what somebody wrote
 * @param work is given a way to add to them
 */
export function inSpan<T>(
  name: string,
  attributes: Attributes,
  work: (add: (more: Attributes) => void) => Promise<T>,
): Promise<T> {
  return trace.getTracer('throughline').startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work((more) => void span.setAttributes(more));
    } catch (error) {
      const message = error instanceof ThroughlineError ? error.code : 'internal_error';
      span.setStatus({ code: SpanStatusCode.ERROR, message });
      throw error;
    } finally {
      span.end();
    }
  });
}
