import type { UIMessageChunk } from 'ai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerChunks, withoutOpenParts } from '#server/conversation/events/answer-chunks';
import { SentAnswer } from '#server/conversation/events/sent-answer';
import {
  anyTurn,
  comparable,
  foldChunks,
  playTurn,
  storedAnswer,
  type StoredMoment,
} from '#tests/support/arbitrary-turn';

/** What reaches the readers: more of the log, the log from its start, or the stored parts at a later moment. */
type Arrival = { readonly from: 'log'; readonly count: number } | { readonly from: 'rewritten log' | 'store' };

const anyArrival: fc.Arbitrary<Arrival> = fc.oneof(
  fc.record({ from: fc.constant('log' as const), count: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ from: fc.constantFrom('rewritten log' as const, 'store' as const) }),
);

/** Passes what arrives through one SentAnswer, and the complete stored answer at the end. */
function receive(moments: readonly StoredMoment[], arrivals: readonly Arrival[]): UIMessageChunk[] {
  const sent = new SentAnswer();
  const log = moments.flatMap(({ chunks }) => chunks).filter(({ type }) => type !== 'finish' && type !== 'error');
  const received: UIMessageChunk[] = [];
  const pass = (take: ReturnType<SentAnswer['source']>, chunks: readonly UIMessageChunk[]) => {
    received.push(...chunks.map(take).filter((chunk) => chunk !== null));
  };
  let take = sent.source();
  let read = 0;
  let moment = -1;
  for (const arrival of arrivals) {
    if (arrival.from === 'log') {
      pass(take, log.slice(read, (read += arrival.count)));
    } else if (arrival.from === 'rewritten log') {
      take = sent.source();
      pass(take, log.slice(0, read));
    } else {
      moment = Math.min(moment + 3, moments.length - 1);
      const answer = storedAnswer(moments[moment]!);
      if (answer) pass(sent.source(), answerChunks(withoutOpenParts(answer)));
    }
  }
  const last = storedAnswer(moments.at(-1)!);
  if (last) pass(sent.source(), answerChunks(last));
  return received;
}

/** The kinds of all chunks but those that only the log has: pieces of texts, and the start of inputs and compactions. */
function kinds(chunks: readonly UIMessageChunk[]): string[] {
  const isStart = (chunk: UIMessageChunk) => 'data' in chunk && (chunk.data as { phase?: string }).phase === 'start';
  return chunks
    .filter((chunk) => !isStart(chunk))
    .map(({ type }) => type)
    .filter((type) => !type.endsWith('-delta') && type !== 'tool-input-start')
    .toSorted();
}

describe('an answer from several sources', () => {
  it('loses and repeats no chunk, for any order of sources', async () => {
    await fc.assert(
      fc.asyncProperty(anyTurn, fc.array(anyArrival, { maxLength: 20 }), async (script, arrivals) => {
        const moments = playTurn(script);
        const answer = storedAnswer(moments.at(-1)!);
        const chunks = receive(moments, arrivals);
        // The fold of the AI SDK changes the chunks.
        expect(kinds(chunks)).toEqual(answer ? kinds(answerChunks(answer)) : []);
        expect(comparable(await foldChunks(chunks))).toEqual(comparable(answer));
      }),
    );
  });
});
