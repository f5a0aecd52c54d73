import { batchResultSchema } from '#server/core/site/bulk/batches';
import { runBatch } from '#server/http/batches/run-batch';
import { describeError, isFault } from '#server/http/error-response';
import { route } from '#server/http/route';
import { batchBody } from '#server/http/schemas/batch';

/** Time after which no further entry is started, so that programs can show progress and cancel soon; ms. */
const TIME_LIMIT = 5_000;
/** Time that one entry may take, the last of which begins just before TIME_LIMIT; ms. Proxies often allow a minute. */
const ENTRY_TIME_LIMIT = 40_000;

/** A person may tag drafts without the right to publish: each write is judged by itself. */
export const POST = route(
  {
    summary:
      'Publishes, unpublishes, trashes, tags or moves several pages and posts, or changes their author; each entry has its own result',
    answer: batchResultSchema,
    access: 'content:draft',
    body: batchBody,
  },
  async ({ body, origin, request, services: { content, log } }) =>
    runBatch(body, {
      content,
      origin,
      entryTimeLimit: ENTRY_TIME_LIMIT,
      onLateFailure: (failure) => log.error({ err: failure }, 'an entry of a batch failed after its time'),
      signal: AbortSignal.any([request.signal, AbortSignal.timeout(TIME_LIMIT)]),
      describeError(error) {
        if (isFault(error)) log.error({ err: error }, 'an entry of a batch failed');
        const { status, ...described } = describeError(error);
        return { ...described, isGeneral: status >= 500 || status === 401 || status === 429 };
      },
    }),
);
