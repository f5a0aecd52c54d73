import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foreignText } from '#server/core/foreign-text';
import type { NewPart } from '#server/core/parts';
import type { ModelTarget } from '#server/context/budget';
import { measure } from '#server/context/current-tokens';
import { itemizeRequest } from '#server/context/context-snapshot';
import { type StoredView, buildPricedView, buildView } from '#server/context/view';
import { anyHistory, call, result, storedMessages, text } from '#tests/support/arbitrary-history';

const clearedOutputText = (id: string) => `[Old tool result content cleared. recall_output id: ${id}]`;

const target: ModelTarget = {
  modelId: 'openai/gpt-4o',
  contextWindow: 200_000,
  maxOutputTokens: 4_000,
  acceptsImages: true,
  warning: null,
  tokenFactor: 1,
  fixed: { instructions: 301, tools: 1_203 },
};

function lookAtHistory(messages: StoredView['messages'], changes: Partial<ModelTarget> = {}, summary = '') {
  const model = { ...target, ...changes };
  const marker = { summary, compactedAt: 1, messagesCompacted: 1, originalTokens: 1, round: 1 };
  const [told] = storedMessages([{ role: 'assistant', parts: [{ type: 'compaction-marker', content: marker }] }]);
  const { stored } = buildPricedView(
    { leading: [], summary: (summary !== '' && told) || null, kept: [], messages },
    model,
  );
  const view = buildView(stored, model.modelId, model.acceptsImages);
  return { view, measured: measure(stored, view, model) };
}

const itemize = (...args: Parameters<typeof lookAtHistory>) => itemizeRequest(lookAtHistory(...args), []);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const image: NewPart = {
  type: 'file',
  content: { mediaType: 'image/png', filename: 'kiln.png', url: 'data:image/png;base64,AAAA', width: 900, height: 700 },
};

describe('an itemized request', () => {
  it('shows the messages that are sent, and adds up to what the engine counts, for any history', () => {
    const factors = fc.constantFrom(1, 1.07, 1.22, 1.5);
    const models = fc.constantFrom('openai/gpt-4o', 'openai/gpt-4', 'anthropic/claude-sonnet-4.5');
    fc.assert(
      fc.property(anyHistory, factors, models, fc.boolean(), (history, tokenFactor, modelId, isCompacted) => {
        const pictured = storedMessages([{ role: 'user', parts: [image, text('Look')] }]);
        const look = lookAtHistory([...pictured, ...history], { tokenFactor, modelId }, isCompacted ? 'Told.' : '');
        const { tokens, messages } = itemizeRequest(look, []);
        const { breakdown, currentTokens, source } = look.measured;
        expect(source).toBe('estimated');
        expect(tokens).toBe(currentTokens);
        const parts = messages.flatMap((message) => message.parts);
        expect(sum(parts.map((part) => part.tokens)) + breakdown.instructions + breakdown.tools).toBe(currentTokens);
        for (const message of messages) {
          expect(message.tokens).toBe(sum(message.parts.map((part) => part.tokens)));
          for (const part of message.parts) expect(part.tokens).toBeGreaterThanOrEqual(0);
        }
        expect(messages.map(({ role, parts: shown }) => [role, shown.length])).toEqual(
          look.view.map(({ role, parts: told }) => [role, told.length]),
        );
      }),
    );
  });

  it('says of each part what it is and what the model reads of it', () => {
    const { messages } = itemize(
      storedMessages([
        { role: 'user', parts: [text('Look at this'), image] },
        { role: 'assistant', parts: [text('I do.'), call('c1', 'get_content', { slug: 'home' })] },
        { role: 'tool', parts: [result('c1', 'A page')] },
      ]),
      {},
      'What was.',
    );
    expect(messages).toMatchObject([
      {
        role: 'user',
        isSummary: true,
        parts: [
          { type: 'text', text: expect.stringContaining('What was.') },
          { type: 'text', toolName: null, text: 'Look at this', characters: 12 },
          { type: 'image', text: 'kiln.png, image/png', isCleared: false },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { type: 'text', text: 'I do.' },
          { type: 'tool-call', toolName: 'get_content', text: '{"slug":"home"}' },
        ],
      },
      { role: 'tool', parts: [{ type: 'tool-result', toolName: 'get_content', text: 'A page', isCleared: false }] },
    ]);
  });

  it('marks outputs that were cleared, and believes none that only says so', () => {
    const messages = storedMessages([
      { role: 'user', parts: [text('Look')] },
      { role: 'assistant', parts: [call('c1'), call('c2')] },
      { role: 'tool', parts: [result('c1', 'A page'), result('c2', clearedOutputText('prt_2_1'))] },
    ]);
    const cleared = messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) => (part.id === 'prt_2_0' ? { ...part, compactedAt: 9, tokens: 20 } : part)),
    }));
    const parts = itemize(cleared).messages.at(-1)?.parts;
    expect(parts).toMatchObject([
      { text: clearedOutputText('prt_2_0'), isCleared: true },
      { text: foreignText(clearedOutputText('prt_2_1')), isCleared: false },
    ]);
  });

  it('shows what a file says where it is sent as text, at the price of the file', () => {
    const content = { mediaType: 'text/plain', filename: 'notes.txt', url: 'data:text/plain;base64,AAAA' };
    const look = lookAtHistory(storedMessages([{ role: 'user', parts: [text('Read'), { type: 'file', content }] }]));
    const sent = [
      { type: 'text' as const, text: 'Read' },
      { type: 'text' as const, text: 'All that is noted.' },
    ];
    const [plain] = itemizeRequest(look, []).messages;
    const [expanded] = itemizeRequest(look, [{ role: 'user', content: sent }]).messages;
    expect(expanded?.parts[1]).toMatchObject({ type: 'text', text: 'All that is noted.' });
    expect(expanded?.parts.map(({ tokens }) => tokens)).toEqual(plain?.parts.map(({ tokens }) => tokens));
  });

  it('cuts what no page could show, between characters, and says how long it is', () => {
    const long = `${'a'.repeat(19_999)}😀${'b'.repeat(5_000)}`;
    const [message] = itemize(storedMessages([{ role: 'user', parts: [text(long)] }])).messages;
    expect(message?.parts[0]).toMatchObject({ characters: 25_001, tokens: message?.tokens });
    expect(message?.parts[0]?.text).toHaveLength(20_000);
    expect(message?.parts[0]?.text.isWellFormed()).toBe(true);
  });
});
