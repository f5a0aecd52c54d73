import { modelMessageSchema } from 'ai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SUMMARY_LABEL } from '#server/core/engine-words';
import { clearedOutputText, buildView, measureView, toModelMessages } from '#server/context/view';
import { MESSAGE_OVERHEAD, countPartTokens } from '#server/context/part-tokens';
import { anyHistory, call, result, storedMessages, text } from '#tests/support/arbitrary-history';
import { findSequenceProblems } from '#tests/support/validate-model-messages';

const MODEL = 'openai/gpt-4o';
const viewOnly = (messages: ReturnType<typeof storedMessages>) => ({ leading: [], summary: null, kept: [], messages });
const viewOf = (messages: ReturnType<typeof storedMessages>) => toModelMessages(buildView(viewOnly(messages), MODEL));

describe('buildView', () => {
  it('is valid for every provider, whatever is stored', () => {
    fc.assert(
      fc.property(anyHistory, (messages) => {
        const view = viewOf(messages);
        if (view.length > 0) expect(findSequenceProblems(view)).toEqual([]);
        for (const message of view) expect(modelMessageSchema.safeParse(message).success).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('shows every text and every call exactly once', () => {
    fc.assert(
      fc.property(anyHistory, (messages) => {
        const stored = messages.filter((message) => message.role !== 'tool').flatMap((message) => message.parts);
        const shown = viewOf(messages)
          .flatMap((message): { type: string; text?: string }[] => message.content)
          .filter((part) => part.type !== 'tool-result' && !part.text?.startsWith('[Note from Throughline]'));
        const texts = stored.filter(
          (part) => part.type === 'tool-call' || (part.type === 'text' && part.content.text !== ''),
        );
        expect(shown).toHaveLength(texts.length);
      }),
    );
  });

  it('gives a call without result an explicit one, right behind it', () => {
    const messages = storedMessages([
      { role: 'user', parts: [text('Go')] },
      { role: 'assistant', parts: [call('a'), call('b')] },
      { role: 'tool', parts: [result('b', 'fine')] },
      { role: 'user', parts: [text('And?')] },
    ]);
    const [, , tool] = viewOf(messages);
    expect(tool).toMatchObject({
      role: 'tool',
      content: [
        { toolCallId: 'a', output: { type: 'error-text' } },
        { toolCallId: 'b', output: { type: 'text', value: 'fine' } },
      ],
    });
  });

  it('keeps reused call ids apart', () => {
    const messages = storedMessages([
      { role: 'user', parts: [text('Go')] },
      { role: 'assistant', parts: [call('a')] },
      { role: 'tool', parts: [result('a', 'first')] },
      { role: 'assistant', parts: [call('a')] },
      { role: 'tool', parts: [result('a', 'second')] },
    ]);
    const outputs = viewOf(messages).flatMap((message) => (message.role === 'tool' ? message.content : []));
    expect(outputs).toMatchObject([
      { toolCallId: 'a', output: { value: 'first' } },
      { toolCallId: 'a_2', output: { value: 'second' } },
    ]);
  });

  it('reads cleared outputs as a placeholder that names how to recall them', () => {
    const messages = storedMessages([
      { role: 'user', parts: [text('Go')] },
      { role: 'assistant', parts: [call('a')] },
      { role: 'tool', parts: [result('a', 'long output')] },
    ]).map((message) => ({ ...message, parts: message.parts.map((part) => ({ ...part, compactedAt: 5 })) }));
    const last = viewOf(messages).at(-1);
    expect(last).toMatchObject({ content: [{ output: { type: 'text', value: clearedOutputText('prt_2_0') } }] });
  });

  it('puts the summary first, as a user message labelled as history', () => {
    const [summary] = storedMessages([
      {
        role: 'assistant',
        parts: [
          {
            type: 'compaction-marker',
            content: { summary: 'What happened.', compactedAt: 1, messagesCompacted: 2, originalTokens: 3, round: 1 },
          },
        ],
      },
    ]);
    const messages = storedMessages([{ role: 'assistant', parts: [text('Going on.')] }]);
    const view = toModelMessages(buildView({ ...viewOnly(messages), summary: summary ?? null }, MODEL));
    expect(view.map((message) => message.role)).toEqual(['user', 'assistant']);
    expect(view[0]).toMatchObject({ content: [{ text: `${SUMMARY_LABEL}\n\nWhat happened.` }] });
  });

  it('sends reasoning and signatures back only to the model they came from', () => {
    const providerMetadata = { anthropic: { signature: 's' } };
    const reasoning = { type: 'reasoning', content: { text: 'Hm.', providerMetadata } } as const;
    const said = { type: 'text', content: { text: 'Yes.', providerMetadata } } as const;
    const called = {
      type: 'tool-call',
      content: { toolCallId: 'c1', toolName: 'get_content', input: {}, providerMetadata },
    } as const;
    const messages = storedMessages([
      { role: 'user', parts: [text('Go')] },
      { role: 'assistant', parts: [reasoning, said, called], modelId: MODEL },
    ]);
    const answerFor = (modelId: string) => toModelMessages(buildView(viewOnly(messages), modelId))[1];
    expect(answerFor(MODEL)?.content.map((part) => part.type)).toEqual(['reasoning', 'text', 'tool-call']);
    expect(JSON.stringify(answerFor(MODEL)).match(/"signature":"s"/g)).toHaveLength(3);
    expect(answerFor('google/gemini-3')?.content.map((part) => part.type)).toEqual(['text', 'tool-call']);
    expect(JSON.stringify(answerFor('google/gemini-3'))).not.toContain('signature');
  });

  it('says where the user stopped an answer, also one that had not begun', () => {
    const stopped = '[The user stopped this answer here.]';
    const messages = storedMessages([
      { role: 'user', parts: [text('Go')] },
      { role: 'assistant', parts: [text('Half of')] },
      { role: 'user', parts: [text('Again')] },
      { role: 'assistant', parts: [] },
      { role: 'user', parts: [text('And again')] },
    ]).map((message) => (message.role === 'assistant' ? { ...message, finishReason: 'cancelled' } : message));
    const view = buildView(viewOnly(messages), MODEL);
    expect(toModelMessages(view).map(({ content }) => content)).toMatchObject([
      [{ text: 'Go' }],
      [{ text: 'Half of' }, { text: stopped }],
      [{ text: 'Again' }],
      [{ text: stopped }],
      [{ text: 'And again' }],
    ]);
    expect(view[3]?.tokens.assistant).toBe(MESSAGE_OVERHEAD + countPartTokens(text(stopped)));
  });

  it('costs what its parts count, with a small overhead for each message', () => {
    const messages = storedMessages([
      { role: 'user', parts: [text('Make a page about clay.')] },
      { role: 'assistant', parts: [call('a', 'create_content', { title: 'Clay' })] },
      { role: 'tool', parts: [result('a', 'created', 'create_content')] },
    ]);
    const parts = messages.flatMap((message) => message.parts).reduce((sum, part) => sum + countPartTokens(part), 0);
    const measured = Object.values(measureView(buildView(viewOnly(messages), MODEL)));
    expect(measured.reduce((sum, tokens) => sum + tokens, 0)).toBe(parts + 3 * MESSAGE_OVERHEAD);
  });
});
