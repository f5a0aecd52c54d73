import { describe, expect, it } from 'vitest';
import type { CompactionRecord } from '#server/core/conversation/compactions';
import type { Message } from '#server/core/conversation/messages';
import type { ToolOutput } from '#server/core/conversation/part-types/tool-output';
import { toUIMessages } from '#server/conversation/step/ui-messages';
import { call, result, storedMessages, text } from '#tests/support/arbitrary-history';

const record = (summaryMessageId: string, changes: Partial<CompactionRecord> = {}): CompactionRecord => ({
  id: 'cmp_1',
  sessionId: 'ses_test',
  round: 1,
  strategy: 'ledger',
  trigger: 'overflow',
  status: 'completed',
  tokensBefore: 9_000,
  tokensAfter: 3_000,
  messagesCompacted: 12,
  compactedMessageIds: [],
  prunedPartIds: [],
  keptBeforeSummary: [],
  keptAfterSummary: [],
  firstKeptMessageId: null,
  summaryMessageId,
  contextWindow: null,
  modelId: null,
  durationMs: 5,
  usage: null,
  error: null,
  errorMessage: null,
  createdAt: 1,
  ...changes,
});
const summarized = (messages: Message[], index: number): Message[] =>
  messages.map((message, at) => (at === index ? { ...message, isSummary: true, parts: [] } : message));

describe('the transcript of stored messages', () => {
  const turn = storedMessages([
    { role: 'user', parts: [text('Go')] },
    { role: 'assistant', parts: [text('Summary')] },
    { role: 'assistant', parts: [text('Looking.'), call('a'), call('b')] },
    { role: 'tool', parts: [result('a', 'fine')] },
    { role: 'assistant', parts: [text('Done.')] },
  ]);

  it('folds all steps of a turn into one message, with its compaction in its place', () => {
    const [user, answer, ...rest] = toUIMessages(summarized(turn, 1), [record('msg_1')]);
    expect(rest).toEqual([]);
    expect(user).toMatchObject({ id: 'msg_0', role: 'user', parts: [{ type: 'text', text: 'Go' }] });
    expect(answer).toMatchObject({ id: 'msg_2', role: 'assistant', metadata: { status: 'complete' } });
    expect(answer?.parts.map((part) => part.type)).toEqual([
      'data-compaction',
      'step-start',
      'text',
      'tool-get_content',
      'tool-get_content',
      'step-start',
      'text',
    ]);
    expect(answer?.parts[3]).toMatchObject({ state: 'output-available', output: 'fine' });
    expect(answer?.parts[4]).toMatchObject({
      state: 'output-error',
      errorText: expect.stringContaining('Interrupted'),
    });
  });

  it('does not show a compaction that was undone', () => {
    const [, answer] = toUIMessages(summarized(turn, 1), [record('msg_1', { status: 'undone' })]);
    expect(answer?.parts.map((part) => part.type)).not.toContain('data-compaction');
  });

  it('shows what was written while a turn ran as a part of its answer, wherever it comes', () => {
    const messages = storedMessages([
      { role: 'user', parts: [text('Go')] },
      { role: 'user', parts: [text('First: A\n\nAlso: B')] },
      { role: 'assistant', parts: [text('Going.')] },
      { role: 'user', parts: [text('Faster')] },
      { role: 'user', parts: [text('Another turn')] },
    ]).map((message, index) => ({ ...message, turnId: index < 4 ? 'trn_1' : 'trn_2' }));
    messages[1] = {
      ...messages[1]!,
      metadata: { coalesced: true, messageCount: 2, originalMessages: ['a', 'b'], firstQueuedAt: 1, lastQueuedAt: 2 },
    };
    const [user, answer, next] = toUIMessages(messages, []);
    expect(user).toMatchObject({ id: 'msg_0', role: 'user', metadata: { turnId: 'trn_1' } });
    expect(answer).toMatchObject({
      id: 'msg_2',
      role: 'assistant',
      parts: [
        {
          type: 'steering-message',
          id: 'msg_1',
          parts: [{ providerMetadata: { throughline: { messageCount: 2 } } }],
        },
        { type: 'step-start' },
        { type: 'text' },
        { type: 'steering-message', id: 'msg_3', parts: [{ type: 'text', text: 'Faster' }] },
      ],
    });
    expect(next).toMatchObject({ id: 'msg_4', role: 'user' });
  });

  it('shows cleared outputs in full, with a mark: pruning only concerns the model', () => {
    const shownAs = (changes: { compactedAt: number | null; excerptChars?: number }) => {
      const changed = turn.map((message) => ({
        ...message,
        parts: message.parts.map((part) => ({ ...part, ...changes })),
      }));
      return toUIMessages(changed, [])[1]?.parts.find((part) => part.type === 'tool-get_content');
    };
    const whole = { output: 'fine', resultProviderMetadata: { throughline: { cleared: 'whole' } } };
    expect(shownAs({ compactedAt: 5 })).toMatchObject(whole);
    const excerpt = { output: 'fine', resultProviderMetadata: { throughline: { cleared: 'excerpt' } } };
    expect(shownAs({ compactedAt: 5, excerptChars: 900 })).toMatchObject(excerpt);
    expect(shownAs({ compactedAt: null })).not.toHaveProperty('resultProviderMetadata');
  });

  it('says how long a tool ran, also when it failed', () => {
    const timed = (output: ToolOutput) =>
      storedMessages([
        { role: 'assistant', parts: [call('a')] },
        {
          role: 'tool',
          parts: [
            { type: 'tool-result', content: { toolCallId: 'a', toolName: 'get_content', output, durationMs: 400 } },
          ],
        },
      ]);
    for (const output of [
      { type: 'text', value: 'fine' },
      { type: 'error-text', value: 'not there' },
    ] as const) {
      expect(toUIMessages(timed(output), [])[0]?.parts[1]).toMatchObject({
        resultProviderMetadata: { throughline: { durationMs: 400 } },
      });
    }
  });

  it('shows a turn that failed before it said anything, with its error', () => {
    const failed = storedMessages([
      { role: 'user', parts: [text('Go')] },
      { role: 'assistant', parts: [] },
    ]).map((message): Message =>
      message.role === 'user' ? message : { ...message, status: 'failed', error: 'No credit.' },
    );
    expect(toUIMessages(failed, [])[1]).toMatchObject({
      parts: [],
      metadata: { status: 'failed', error: 'No credit.' },
    });
    expect(
      toUIMessages(
        failed.map((message) => ({ ...message, error: null })),
        [],
      ),
    ).toHaveLength(1);
  });

  it('handles messages of very many parts', () => {
    const parts = Array.from({ length: 130_000 }, () => text('x'));
    const messages = storedMessages([
      { role: 'assistant', parts: [text('a')] },
      { role: 'assistant', parts },
    ]);
    expect(toUIMessages(messages, [])[0]?.parts).toHaveLength(130_003);
  });
});
