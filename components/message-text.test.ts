import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setLanguage } from '#components/language.ts';
import { loadLanguage } from '#components/load-language.ts';
import germanMessages from '#messages/de.json' with { type: 'json' };
import { localizedText, refusalText } from '#components/message-text.ts';
import { serverText } from '#server/core/messages/server-text';
import { messagePaths } from '#tests/support/icu-messages';

beforeAll(async () => setLanguage(await loadLanguage('de')));
afterAll(async () => setLanguage(await loadLanguage('en')));

it('writes quotation marks and counts as German does', () => {
  for (const [path, text] of messagePaths(germanMessages)) expect(text, path).not.toMatch(/[”’‘]/);
});

describe('a sentence with a code', () => {
  const published = serverText('publish', {
    title: 'Preise',
    path: '/preise',
    time: null,
    isPrivate: false,
    isUpdate: true,
  });

  it('is in German for any English text', () => {
    expect(localizedText(published, 'Anything.')).toBe('Stellt die Änderungen an „Preise“ online, unter /preise.');
    const { code, params, text } = serverText('stays', { text: serverText('journal-published', { title: 'Preise' }) });
    expect(localizedText({ code, params }, text)).toBe('Bleibt: „Preise“ veröffentlicht');
  });

  it('keeps the English text that an older row has, or one of another version', () => {
    expect(localizedText(undefined, published.text)).toBe(published.text);
    expect(localizedText({ ...published, code: 'of-another-version' }, 'It is blue.')).toBe('It is blue.');
    expect(localizedText({ ...published, params: {} }, published.text)).toBe(published.text);
  });

  it('is that of a refusal in a response', () => {
    const budget = serverText('budget-person', { spent: '$5.00', limit: '$5.00', until: '2027-01-01' });
    expect(refusalText({ code: budget.code, params: budget.params }, budget.text)).toMatch(
      /^Ihr Budget .*2027-01-01 beginnt/,
    );
    expect(refusalText('anything', 'It is blue.')).toBe('It is blue.');
  });
});
