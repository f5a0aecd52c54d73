import { startFakeOpenRouter } from '#tests/support/fake-openrouter';
import { longAnswer } from '#tests/support/long-history';

/*
 * A provider in a separate process that answers everything with a long markdown text, one chunk every few
 * milliseconds. Tells its parent its address and, on request, the rate of chunks that it really sent last.
 */

/** A second of chunks takes a little longer than a second of pauses; milliseconds. */
const PAUSE = Number(process.env['CHUNK_PAUSE_MS'] ?? '4');
const CHUNKS = Number(process.env['CHUNKS'] ?? '6000');

const provider = await startFakeOpenRouter({ respond: () => ({ chunks: longAnswer(CHUNKS), chunkDelayMs: PAUSE }) });

process.on('message', () => {
  const sent = provider.requests.findLast((request) => request.sent.length > 1)?.sent ?? [];
  const took = (sent.at(-1)?.at ?? 0) - (sent[0]?.at ?? 0);
  process.send?.({ chunksPerSecond: ((sent.length - 1) / took) * 1_000 });
});
process.send?.({ url: provider.baseUrl });
