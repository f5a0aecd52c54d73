import { afterEach, describe, expect, it } from 'vitest';
import type { ToolCall, ToolState } from '#components/chat/parts/tool-call.ts';
import { toolName, toolTitle } from '#components/chat/parts/tool-titles.ts';
import { setLanguage } from '#components/language.ts';
import { loadLanguage } from '#components/load-language.ts';
import { languageCodes } from '#server/core/languages';
import { serverText } from '#server/core/messages/server-text';
import { tools } from '#server/tools/index';

afterEach(async () => setLanguage(await loadLanguage('en')));

const call: ToolCall = {
  id: 'call_1',
  name: 'undo',
  state: 'done',
  input: {},
  output: undefined,
  images: [],
  error: null,
  reason: null,
  approvalId: null,
  effect: null,
  durationMs: null,
  cleared: null,
  summary: null,
  isWriting: false,
};

/** Titles of a call that is proposed, that runs, and that is done. */
const titlesOf = (name: string, input: object, output?: object) =>
  (['waiting', 'running', 'done'] as const).map((state: ToolState) =>
    toolTitle({ ...call, name, input, state, output: state === 'done' ? output : undefined }),
  );

const examples: readonly [name: string, input: object, output: object, english: string[], german: string[]][] = [
  [
    'list_content',
    { type: 'post' },
    { total: 1 },
    ['List posts', 'Listing posts', 'Listed 1 post'],
    ['Beiträge auflisten', 'Beiträge auflisten', '1 Beitrag aufgelistet'],
  ],
  [
    'create_content',
    { title: 'Preise' },
    { title: 'Preise', type: 'page' },
    ['Create a page called Preise', 'Creating a page called Preise', 'Created the page Preise'],
    ['Seite „Preise“ anlegen', 'Seite „Preise“ anlegen', 'Seite „Preise“ angelegt'],
  ],
  [
    'edit_text',
    { find: 'a', replace: 'b' },
    { replaced: 3, entries: 1 },
    ['Replace “a” with “b”', 'Replacing “a” with “b”', 'Replaced “a” with “b” in 3 places, 1 draft'],
    ['„a“ durch „b“ ersetzen', '„a“ durch „b“ ersetzen', '„a“ durch „b“ ersetzt: 3 Stellen, 1 Entwurf'],
  ],
];

describe('the title of a tool call', () => {
  it.each(examples)(
    'of %s is written in each tense in English and German',
    async (name, input, output, english, german) => {
      expect(titlesOf(name, input, output)).toEqual(english);
      setLanguage(await loadLanguage('de'));
      expect(titlesOf(name, input, output)).toEqual(german);
    },
  );

  it.each([
    ['undo', {}, 'summary'],
    ['edit_items', { op: 'add', item: 'Wann?' }, 'did'],
    ['set_navigation', { op: 'add', item: 'Laden' }, 'summary'],
  ])('of a finished %s is its summary, in the language of the page', async (name, input, field) => {
    const { text, ...summary } = serverText('journal-undone', {
      change: serverText('journal-published', { title: 'Preise' }),
    });
    const done = { ...call, name, input, output: { [field]: text }, summary };
    expect(toolTitle(done)).toBe(text);
    setLanguage(await loadLanguage('de'));
    expect(toolTitle(done)).toBe('Rückgängig gemacht: „Preise“ veröffentlicht');
    // Results of earlier versions have only the English text.
    expect(toolTitle({ ...done, summary: null })).not.toContain(text);
  });

  it('names a tool without its own title, also one named like a property of every object', () => {
    expect(
      ['check_readability', 'everything__get-sum', 'toString'].map((name) => toolTitle({ ...call, name })),
    ).toEqual(['Check readability', 'Everything: get-sum', 'ToString']);
  });
});

it.each(languageCodes)('names and describes every tool in %s', async (code) => {
  setLanguage(await loadLanguage(code));
  const { names, does } = (await loadLanguage(code)).messages!.settings.tools;
  expect(tools.map(({ name }) => name).filter((name) => !Object.hasOwn(names, name))).toEqual([]);
  expect(Object.keys(does).toSorted()).toEqual(Object.keys(names).toSorted());
  expect(toolName('edit_text')).toBe({ en: 'Edit text', de: 'Text ersetzen' }[code]);
});
