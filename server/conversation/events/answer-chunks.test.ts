import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerChunks, withoutOpenParts } from '#server/conversation/events/answer-chunks';
import type { ThroughlineUIMessage } from '#server/conversation/step/ui-messages';
import { anyTurn, comparable, foldChunks, playTurn, storedAnswer } from '#tests/support/arbitrary-turn';
import { isDeep } from '#tests/support/deep';

type Part = ThroughlineUIMessage['parts'][number];
const withParts = (...parts: Part[]): ThroughlineUIMessage => ({ id: 'msg_1', role: 'assistant', parts });
const said = (text: string, state: 'streaming' | 'done'): Part => ({ type: 'text', text, state });
const call = { type: 'tool-delete_content' as const, toolCallId: 'c', input: { slug: 'a' } };

describe('the chunks of a stored answer', () => {
  it('fold into the answer at every moment of a turn', async () => {
    await fc.assert(
      fc.asyncProperty(anyTurn, async (script) => {
        for (const moment of playTurn(script)) {
          const answer = storedAnswer(moment);
          if (answer) expect(comparable(await foldChunks(answerChunks(answer)))).toEqual(comparable(answer));
        }
      }),
      { numRuns: isDeep ? 100 : 40 },
    );
  });

  it.each<[string, Part]>([
    ['is waiting', { ...call, state: 'approval-requested', approval: { id: 'prt_1' } }],
    [
      'was approved',
      { ...call, state: 'approval-responded', approval: { id: 'prt_1', approved: true, reason: 'Yes.' } },
    ],
    ['has run', { ...call, state: 'output-available', output: 'Gone.', approval: { id: 'prt_1', approved: true } }],
    ['failed', { ...call, state: 'output-error', errorText: 'No.', approval: { id: 'prt_1', approved: true } }],
    ['was denied', { ...call, state: 'output-denied', approval: { id: 'prt_1', approved: false, reason: 'No.' } }],
    ['has no complete input', { ...call, state: 'input-streaming', input: undefined, rawInput: '{"sl' }],
  ])('show a call that %s', async (_, part) => {
    const answer = withParts(part);
    const folded = comparable(await foldChunks(answerChunks(answer)));
    if (part.type === call.type && part.state === 'input-streaming') {
      // The AI SDK shows what it can parse of an incomplete input.
      expect(folded).toMatchObject({ parts: [{ state: 'input-streaming', rawInput: '{"sl' }] });
    } else expect(folded).toEqual(comparable(answer));
  });

  it('leave out a text that is being written, and all parts after it', () => {
    const written = withParts(
      { type: 'step-start' },
      said('Hello', 'done'),
      said('Wor', 'streaming'),
      said('x', 'done'),
    );
    expect(answerChunks(withoutOpenParts(written)).map(({ type }) => type)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
    ]);
  });
});
