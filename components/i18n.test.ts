import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type _Translator, createTranslator } from 'use-intl/core';
import { translator } from '#components/i18n.ts';
import { setLanguage } from '#components/language.ts';
import { loadLanguage } from '#components/load-language.ts';
import english from '#messages/en.json' with { type: 'json' };
import { languageCodes } from '#server/core/languages';
import { type ArgumentKind, messagePaths, pseudoMessages, readMessage, wordsOf } from '#tests/support/icu-messages';

const englishTexts = new Map(messagePaths(english));
const others = languageCodes.filter((code) => code !== 'en');

afterEach(async () => setLanguage(await loadLanguage('en')));

/** A value for each argument; `choice` selects among the words of a `select`. */
function values(args: ReadonlyMap<string, ArgumentKind>, choice: number, number: number): Record<string, never> {
  const valueOf = (kind: ArgumentKind) => {
    if (kind === 'text') return 'x';
    if (kind === 'number') return number;
    if (kind === 'time') return new Date(1_800_000_000_000);
    if (kind === 'element') return (text: unknown) => text;
    return wordsOf(kind).at(choice) ?? 'other';
  };
  return Object.fromEntries([...args].map(([name, kind]) => [name, valueOf(kind) as never]));
}

/** A language may select by a text that another language only inserts, and by fewer values than English. */
function isSame(kind: ArgumentKind, inEnglish: ArgumentKind | undefined): boolean {
  const isText = (one: string | undefined) => one === 'text' || one?.startsWith('select') === true;
  if (kind.startsWith('select') && inEnglish?.startsWith('select') === true)
    return wordsOf(kind).every((word) => wordsOf(inEnglish).includes(word));
  return kind === inEnglish || (isText(kind) && isText(inEnglish) && (kind === 'text' || inEnglish === 'text'));
}

describe.each(others)('the messages in %s', async (code) => {
  const texts = new Map(messagePaths((await loadLanguage(code)).messages));

  it('have the keys of the English ones', () => {
    expect([...texts.keys()].toSorted()).toEqual([...englishTexts.keys()].toSorted());
  });

  it('take no other values than the English ones', () => {
    const wrong = [...texts].flatMap(([path, text]) => {
      const known = readMessage(englishTexts.get(path) ?? '').args;
      return [...readMessage(text).args]
        .filter(([name, kind]) => !isSame(kind, known.get(name)))
        .map(([name, kind]) => `${path}: ${name} (${kind})`);
    });
    expect(wrong).toEqual([]);
  });

  it('leave out no text that the English ones contain', () => {
    const wrong = [...texts].filter(([path, text]) => (text.trim() === '') !== (englishTexts.get(path)?.trim() === ''));
    expect(wrong).toEqual([]);
  });
});

it.each(languageCodes)('renders every message in %s', async (code) => {
  const { messages } = await loadLanguage(code);
  const errors: unknown[] = [];
  const t: _Translator = createTranslator({
    locale: code,
    messages: messages as Record<string, unknown>,
    onError: (error) => errors.push(error),
  });
  for (const [path, text] of messagePaths(messages)) {
    const { args } = readMessage(text);
    for (const [choice, number] of [0, 1, 2, 1_234].entries()) void t.rich(path, values(args, choice, number));
  }
  expect(errors).toEqual([]);
});

describe('a third language', () => {
  beforeEach(() => setLanguage({ code: 'de', messages: pseudoMessages(english) }));

  it('is one file of messages, which everything that renders messages then uses', () => {
    const t = translator('server');
    expect(t('editors-only')).toBe(
      'Öñļý åñ éðîţöŕ öŕ åñ åðmîñîšţŕåţöŕ måý ðö ţĥîš.'.replaceAll('ð', 'd').replaceAll('ĥ', 'h'),
    );
    expect(t('subpages', { count: 1 })).toBe('Îţ håš 1 šûbpågé.');
    expect(t('subpages', { count: 1_234 })).toBe('Îţ håš 1.234 šûbpågéš.');
  });
});

describe('a translator', () => {
  it('finds texts by codes from outside, and nothing that the messages inherit', () => {
    const t = translator('server');
    expect(t.find('editors-only')).toBe('Only an editor or an administrator may do this.');
    expect([t.find('toString'), t.find('constructor.name'), t.find('unknown')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('renders the language that is set when it is called', async () => {
    const t = translator('server');
    setLanguage(await loadLanguage('de'));
    expect(t('subpages', { count: 1_234 })).toBe('Sie hat 1.234 Unterseiten.');
  });

  it('shows the key of a message that it does not have, and reports it', () => {
    const report = vi.spyOn(console, 'error').mockReturnValue();
    expect(translator('server')('unknown' as 'editors-only')).toBe('server.unknown');
    expect(report).toHaveBeenCalledOnce();
    report.mockClear();
  });
});
