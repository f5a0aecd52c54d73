import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyHistory, call, result, storedMessages } from '#tests/support/arbitrary-history';
import { pairToolResults } from '#server/core/conversation/messages';

describe('pairToolResults', () => {
  it('leaves out results before their call, doubled ones, and calls never answered', () => {
    const messages = storedMessages([
      { role: 'tool', parts: [result('a', 'too early')] },
      { role: 'assistant', parts: [call('a'), call('b')] },
      { role: 'tool', parts: [result('a', 'right'), result('a', 'again'), result('c', 'stray')] },
    ]);
    expect([...pairToolResults(messages).values()].map((part) => part.id)).toEqual(['prt_2_0']);
  });

  it('never gives one result to two calls, nor one of another id', () => {
    fc.assert(
      fc.property(anyHistory, (messages) => {
        const pairs = pairToolResults(messages);
        const parts = new Map(messages.flatMap((message) => message.parts).map((part) => [part.id, part]));
        expect(new Set([...pairs.values()].map((part) => part.id)).size).toBe(pairs.size);
        for (const [callId, part] of pairs) {
          expect(parts.get(callId)).toMatchObject({ content: { toolCallId: part.content.toolCallId } });
        }
      }),
    );
  });
});
