import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { countTokens as countWhole } from 'gpt-tokenizer/encoding/o200k_base';
import { countRecurringTokens, countTokens, SLICE_LENGTH, slices, vocabularyOf } from '#server/context/tokens';
import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { buildPricedView, buildView, type StoredView, verbatimMessages } from '#server/context/view';
import { measureView } from '#server/context/view-messages';
import { call, result, storedMessages, text as textPart } from '#tests/support/arbitrary-history';
import { anyCharacter } from '#tests/support/any-character';

describe('countTokens', () => {
  it('counts special tokens as plain text instead of throwing', () => {
    expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('counts long texts exactly: slices end between words', () => {
    const sentence = 'Every bowl on this shelf was thrown by hand, glazed twice and fired at 1,280 degrees in May. ';
    for (const length of [3_000, 9_999, 20_001]) {
      const text = sentence.repeat(length / sentence.length + 1).slice(0, length);
      expect(countTokens(text)).toBe(countWhole(text));
    }
    const chinese = '这个架子上的每一只碗都是手工制作的，上了两次釉，然后在窑里烧制。'.repeat(200);
    expect(Math.abs(countTokens(chinese) / countWhole(chinese) - 1)).toBeLessThan(0.005);
  });

  it('over-counts long texts by at most one token a slice and never under-counts by more', () => {
    fc.assert(
      fc.property(fc.array(fc.lorem({ maxCount: 30 }), { maxLength: 40 }), (sentences) => {
        const text = sentences.join(' ');
        const borders = Math.ceil(text.length / SLICE_LENGTH);
        expect(Math.abs(countTokens(text) - countWhole(text))).toBeLessThanOrEqual(borders * 2);
      }),
      { numRuns: 50 },
    );
  });

  it('cuts any text, lone surrogates included, into slices that the tokenizer can take', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 5_000 }), (text) => {
        const pieces = [...slices(text)];
        expect(pieces.map((piece) => piece.text).join('')).toBe(text);
        expect(pieces.every((piece) => piece.text.length > 0 && piece.text.length <= SLICE_LENGTH)).toBe(true);
        expect(countTokens(text)).toBeGreaterThanOrEqual(text === '' ? 0 : 1);
      }),
    );
  });

  it('finishes on texts that make the tokenizer quadratic', () => {
    for (const text of ['a'.repeat(100_000), ' '.repeat(200_000), '文'.repeat(100_000)]) {
      expect(countTokens(text)).toBeGreaterThan(100);
    }
  });

  it('estimates what has no break for thousands of characters', () => {
    let state = 1;
    const random = (length: number) =>
      Array.from({ length }, () => String.fromCharCode(97 + ((state = (state * 48_271) % 2_147_483_647) % 26))).join(
        '',
      );
    const text = random(40_000);
    const pieces = Array.from({ length: 40 }, (_, index) => text.slice(index * 1_000, index * 1_000 + 1_000));
    const exact = pieces.reduce((sum, piece) => sum + countWhole(piece), 0);
    expect(Math.abs(countTokens(text) / exact - 1)).toBeLessThan(0.03);
  });
});

describe('countRecurringTokens', () => {
  it('equals countTokens for any number and order of calls', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('Be brief.', 'Never use blue.', ''), { maxLength: 30 }), (texts) => {
        for (const text of texts) expect(countRecurringTokens(text)).toBe(countTokens(text));
      }),
    );
    for (let text = 0; text < 500; text += 1) countRecurringTokens(`instructions ${text}`);
    expect(countRecurringTokens('Be brief.')).toBe(countTokens('Be brief.'));
  });
});

const GERMAN = 'Übergrößenträger für die Fußgängerüberführung, bitte überprüfen. '.repeat(8).trim();

describe('vocabularyOf', () => {
  it.each([
    'gpt-4',
    'openai/gpt-4',
    'gpt-4-turbo',
    'openai/gpt-4-0613',
    'gpt-4-1106-preview',
    'gpt-3.5-turbo',
    'gpt-4:beta',
  ])('is the older one for %s', (modelId) => {
    expect(vocabularyOf(modelId)).toBe('cl100k_base');
  });

  it.each([
    'gpt-4o',
    'openai/gpt-4o-mini',
    'gpt-4.1',
    'gpt-4-1',
    'gpt-4.5-preview',
    'gpt-4-5',
    'openai/gpt-5',
    'local/gpt-4-alpaca',
    'anthropic/claude-sonnet-4.5',
    'throughline/offline',
  ])('is the stored one for %s', (modelId) => {
    expect(vocabularyOf(modelId)).toBe('o200k_base');
  });
});

describe('counting in the older vocabulary', () => {
  it('equals the count of its tokenizer', () => {
    expect(countTokens(GERMAN, 'cl100k_base')).toBe(countCl100k(GERMAN));
    expect(countTokens(GERMAN, 'cl100k_base')).not.toBe(countTokens(GERMAN));
    expect(countRecurringTokens(GERMAN, 'cl100k_base')).toBe(countCl100k(GERMAN));
    expect(countRecurringTokens(GERMAN)).toBe(countTokens(GERMAN));
    expect(countTokens('<|endoftext|>', 'cl100k_base')).toBeGreaterThan(1);
  });

  it('prices every part of a view as the model reads it: whole, cleared or cut', () => {
    const [asked, called, given] = storedMessages([
      { role: 'user', parts: [textPart(GERMAN)] },
      { role: 'assistant', parts: [call('a', 'write', { body: GERMAN.repeat(4) }), call('b'), call('c'), call('d')] },
      { role: 'tool', parts: ['a', 'b', 'c', 'd'].map((id) => result(id, GERMAN.repeat(id === 'd' ? 1 : 9))) },
    ]);
    const marked = (index: number, excerptChars: number | null) => ({ compactedAt: 9, excerptChars, index });
    const marks = [marked(1, null), marked(2, 100)];
    const messages = [
      asked!,
      {
        ...called!,
        parts: called!.parts.map((part, at) => (at === 0 ? { ...part, compactedAt: 9, excerptChars: 100 } : part)),
      },
      { ...given!, parts: given!.parts.map((part, at) => ({ ...part, ...marks.find(({ index }) => index === at) })) },
    ];
    const stored: StoredView = { leading: [], summary: null, kept: [], messages };
    const priced = buildPricedView(stored, { modelId: 'openai/gpt-4', tokenFactor: 1 }).stored;
    // Priced again, from memory: the same.
    expect(buildPricedView(stored, { modelId: 'openai/gpt-4', tokenFactor: 1 }).stored).toEqual(priced);
    expect(buildPricedView(stored, { modelId: 'openai/gpt-4o', tokenFactor: 1 }).stored).toEqual(stored);

    const view = buildView(priced, 'openai/gpt-4');
    const shown = view.flatMap(({ parts }) => parts.map(({ content }) => content));
    const tokens = verbatimMessages(priced).flatMap(({ parts }) => parts.map((part) => part.tokens ?? 0));
    const OVERHEAD = 14;
    const expected = shown.map((part) => {
      if (part.type === 'text') return countCl100k(part.text);
      if (part.type === 'tool-call')
        return OVERHEAD + countCl100k(part.toolName) + countCl100k(JSON.stringify(part.input));
      return part.type === 'tool-result' && part.output.type === 'text' ? OVERHEAD + countCl100k(part.output.value) : 0;
    });
    for (const [index, count] of expected.entries())
      expect(Math.abs((tokens[index] ?? 0) - count)).toBeLessThanOrEqual(2);
    expect(measureView(view).user).toBe(4 + countCl100k(GERMAN));
  });
});
