import { afterEach, describe, expect, it } from 'vitest';
import type { ToolCall } from '#components/chat/parts/tool-call.ts';
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

describe('the title of a tool call', () => {
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
