import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foreignText } from '#server/core/conversation/part-types/foreign-text';
import type { NewPart } from '#server/core/conversation/parts';
import type { ModelTarget } from '#server/context/budget';
import { measure } from '#server/context/current-tokens';
import {
  type ContextSnapshot,
  itemizeRequest,
  measureContext,
  overflowError,
  requireRoom,
} from '#server/context/context-snapshot';
import { buildPricedView, buildView, type StoredView } from '#server/context/view';
import { anyHistory, call, result, storedMessages, text } from '#tests/support/arbitrary-history';
import { TooLargeError } from '#server/core/errors';
import { defaultSettings } from '#server/context/settings/context-settings';
import { withTokens } from '#server/context/part-tokens';
import { mediaTokens } from '#server/context/media-tokens';
import { TestSession } from '#tests/support/test-session';

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

  it('describes each part and how the model reads it', () => {
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

  it('marks outputs that were cleared, and ignores outputs that merely claim it', () => {
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

  it('shows the text of a file with its cost', () => {
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

  it('cuts long parts between characters, with their length', () => {
    const long = `${'a'.repeat(19_999)}😀${'b'.repeat(5_000)}`;
    const [message] = itemize(storedMessages([{ role: 'user', parts: [text(long)] }])).messages;
    expect(message?.parts[0]).toMatchObject({ characters: 25_001, tokens: message?.tokens });
    // The 20,000th is half of the emoji.
    expect(message?.parts[0]?.text).toBe('a'.repeat(19_999));
  });
});

const roomSettings = { ...defaultSettings, exemptTools: new Set<string>() };

describe('requireRoom', () => {
  it('counts images by the formula of the model, with no factor', () => {
    const content = { mediaType: 'image/png', url: 'https://example.org/a.png', width: 1_600, height: 1_200 };
    const picture = withTokens({ type: 'file', content }) satisfies NewPart;
    const [dear, cheap] = ['anthropic/claude-sonnet-4.5', 'google/gemini-2.5-flash'].toSorted(
      (a, b) => mediaTokens(content, b) - mediaTokens(content, a),
    ) as [string, string];
    expect(mediaTokens(content, cheap)).toBeLessThan(mediaTokens(content, dear));
    const check = (modelId: string, tokenFactor: number, count: number) => {
      const model = { modelId, contextWindow: 16_000, maxOutputTokens: 4_000, warning: null, tokenFactor };
      const fixed = { instructions: 0, tools: 0 };
      requireRoom([{ role: 'user', parts: Array(count).fill(picture) }], { ...model, fixed }, roomSettings);
    };
    for (const [modelId, tokenFactor] of [
      [dear, 2],
      [cheap, 0.5],
    ] as const) {
      // Usable 12,000, of which a compaction's summary may take 3,000.
      const fitting = Math.floor(9_000 / mediaTokens(content, modelId));
      expect(() => check(modelId, tokenFactor, fitting)).not.toThrow();
      expect(() => check(modelId, tokenFactor, fitting + 1)).toThrow(TooLargeError);
    }
  });

  it('counts an attached text by its stored count and factor, and an unseen picture by its line', () => {
    const model = { modelId: 'a/b', contextWindow: 16_000, maxOutputTokens: 4_000, warning: null, tokenFactor: 1.5 };
    const room = { ...model, acceptsImages: false, fixed: { instructions: 0, tools: 0 } };
    const notes = (tokens: number): NewPart => ({
      type: 'file',
      content: { mediaType: 'text/plain', url: '@blob:blb_1', size: 10 },
      tokens,
    });
    const check = (...parts: NewPart[]) => requireRoom([{ role: 'user', parts }], room, roomSettings);
    // Usable 12,000, of which a compaction's summary may take 3,000.
    expect(() => check(notes(6_000))).not.toThrow();
    expect(() => check(notes(6_001))).toThrow(TooLargeError);
    const picture: NewPart = { type: 'file', content: { mediaType: 'image/png', url: '@blob:blb_2' } };
    expect(() => check(notes(5_000), ...Array.from({ length: 10 }, () => picture))).not.toThrow();
  });
});

async function snapshot(
  messages: Parameters<typeof storedMessages>[0],
  changes: { autoCompact?: boolean } = {},
): Promise<ContextSnapshot> {
  const store = new TestSession(() => 1_000);
  store.appendMany(messages);
  return measureContext(
    {
      session: store,
      summarizer: null,
      target: { ...target, contextWindow: 16_000, fixed: { instructions: 300, tools: 1_200 } },
    },
    { ...defaultSettings, exemptTools: new Set<string>(), ...changes },
  );
}

describe('overflowError', () => {
  it('names what cannot fit, the largest first, with the size of each part', async () => {
    const error = overflowError(
      await snapshot([
        { role: 'user', parts: [text('Hello')] },
        { role: 'assistant', parts: [text('Hello to you')] },
        { role: 'user', parts: [text('word '.repeat(12_000))] },
        { role: 'assistant', parts: [call('c')] },
        { role: 'tool', parts: [result('c', 'output '.repeat(3_000))] },
      ]),
    );
    expect(error.message).toMatch(
      /^Even with everything older taken out, the request needs 13,\d{3} tokens \(12,\d{3} for the newest message, 1,500 for instructions and tools, \d\d for the assistant's newest step, \d\d for a note about everything older\), but only 12,000 are usable\. Shorten the newest message or choose a model with a larger window\.$/,
    );
    expect(error.details).toMatchObject({
      usableTokens: 12_000,
      currentTokens: expect.closeTo(16_600, -3),
      neededTokens: expect.closeTo(13_600, -2),
      needs: { fixed: 1_500, request: expect.closeTo(12_005, -1) },
    });
  });

  it('does not ask to shorten what the user did not write', async () => {
    const error = overflowError(
      await snapshot([
        { role: 'user', parts: [text('Hello')] },
        { role: 'assistant', parts: [text('word '.repeat(12_000))] },
      ]),
    );
    expect(error.message).toContain('. Choose a model with a larger window.');
    expect(error.details).toMatchObject({ needs: { summary: 0 } });
  });

  it('suggests a compaction if automatic compaction is off', async () => {
    const long = { role: 'assistant' as const, parts: [text('word '.repeat(6_000))] };
    const session = [{ role: 'user' as const, parts: [text('Hello')] }, long, long];
    const error = overflowError(await snapshot(session, { autoCompact: false }));
    expect(error.message).toMatch(/ but only 12,000 are usable\. Automatic compaction is switched off\. Compact the/);
  });
});
