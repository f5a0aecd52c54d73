import { describe, expect, it } from 'vitest';
import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { buildPricedView } from '#server/context/view';
import { countRecurringTokens, countTokens, vocabularyOf } from '#server/context/tokens';
import { buildView, type StoredView, verbatimMessages } from '#server/context/view';
import { measureView } from '#server/context/view-messages';
import { call, result, storedMessages, text } from '#tests/support/arbitrary-history';

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
  it('is what its tokenizer counts', () => {
    expect(countTokens(GERMAN, 'cl100k_base')).toBe(countCl100k(GERMAN));
    expect(countTokens(GERMAN, 'cl100k_base')).not.toBe(countTokens(GERMAN));
    expect(countRecurringTokens(GERMAN, 'cl100k_base')).toBe(countCl100k(GERMAN));
    expect(countRecurringTokens(GERMAN)).toBe(countTokens(GERMAN));
    expect(countTokens('<|endoftext|>', 'cl100k_base')).toBeGreaterThan(1);
  });

  it('prices every part of a view as the model reads it: whole, cleared or cut', () => {
    const [asked, called, given] = storedMessages([
      { role: 'user', parts: [text(GERMAN)] },
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
