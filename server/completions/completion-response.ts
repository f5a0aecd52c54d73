import type { BegunAnswer } from '#server/completions/completions';
import { createChunks } from '#server/completions/wire/chunks';
import { collectCompletion } from '#server/completions/wire/completion';
import { answerStream } from '#server/completions/wire/event-stream';
import { reportHeaders } from '#server/completions/wire/report-headers';

const EVENT_STREAM = {
  'content-type': 'text/event-stream; charset=utf-8',
  // A proxy that collects or compresses it would hold it back.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/** An answer as one object, once it is whole. @throws what it fails with */
export async function wholeResponse({ identity, report, events }: BegunAnswer): Promise<Response> {
  const completion = await collectCompletion(identity, events);
  return Response.json(completion, {
    headers: { ...reportHeaders(report), 'cache-control': 'no-store' },
  });
}

/**
 * An answer as it is written.
 * @param includeUsage its last chunk tells the usage
 * @param errorBody how a failure in the middle is told
 * @param onCancel the client is gone
 */
export function streamedResponse(
  { identity, report, events }: BegunAnswer,
  includeUsage: boolean,
  errorBody: (error: unknown) => object,
  onCancel: () => void,
): Response {
  const chunksOf = createChunks(identity, includeUsage);
  return new Response(answerStream({ events, chunksOf, errorBody, onCancel }), {
    headers: { ...reportHeaders(report), ...EVENT_STREAM },
  });
}
