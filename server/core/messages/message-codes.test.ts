import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sectionDefinitions } from '#sections/fields';
import { entryMarks, sectionTypes } from '#server/core/site/content';
import { settingNames } from '#server/context/settings/context-settings';
import {
  MethodNotAllowedError,
  NotFoundError,
  type Thing,
  ThroughlineError,
  TooLargeError,
  TurnLostError,
} from '#server/core/errors';
import { parseHtml } from '#server/markup/parse-html';
import { valueRules } from '#server/core/value-rules';
import { processReference } from '#server/platform/config/env';
import { DEFAULT_SETTINGS } from '#server/site/site-settings';
import { fieldName, sectionTypeName } from '#server/core/site/field-names';
import german from '#messages/de.json' with { type: 'json' };
import english from '#messages/en.json' with { type: 'json' };
import { type MessageCode, messageParams } from '#server/core/messages/message-codes';
import { codesIn, uncodedText } from '#server/core/message-data';
import { type Messages, messageRenderer } from '#server/core/messages/render-message';
import { serverText } from '#server/core/messages/server-text';

const codes = Object.keys(messageParams) as MessageCode[];

/** Lines `code(parameter, parameter)`, also of codes that are no longer used. */
const kept = readFileSync(new URL('../../../messages/codes.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

it('keeps every code with its parameters, because rows are stored with them', () => {
  const lines = codes.map((code) => `${code}(${messageParams[code].join(', ')})`);
  const retired = kept.filter((line) => line.startsWith('retired ')).map((line) => line.replace('retired ', ''));
  expect(kept.filter((line) => !line.startsWith('retired ')).toSorted()).toEqual(lines.toSorted());
  expect(codes.filter((code) => retired.some((line) => line.startsWith(`${code}(`)))).toEqual([]);
});

describe.each([
  ['en', english],
  ['de', german],
])('messages in %s', (language, { server }) => {
  const messages: Messages = server;
  const texts = Object.entries(messages).flatMap(([code, text]) => (typeof text === 'string' ? [[code, text]] : []));
  const textOf = (code: MessageCode) => Object.fromEntries(texts)[code] as string;

  it('have a text for every code, and no other', () => {
    expect(new Set(texts.map(([code]) => code))).toEqual(new Set(codes));
  });

  it('have a name for every field and type of section, and describe every setting and variable', () => {
    const { field, section, mark, setting, variable } = server;
    expect(Object.keys(setting).toSorted()).toEqual(settingNames.toSorted());
    expect(Object.keys(variable)).toEqual(processReference().map(({ name }) => name));
    expect(Object.keys(section).toSorted()).toEqual(sectionTypes.toSorted());
    expect(Object.keys(mark).toSorted()).toEqual(entryMarks.toSorted());
    const named = [
      ...sectionTypes.flatMap((type) => Object.keys(sectionDefinitions[type].fields.shape)),
      ...Object.keys(DEFAULT_SETTINGS),
    ];
    expect(named.filter((name) => !Object.hasOwn(field, name))).toEqual([]);
  });

  it('can be rendered in all their forms with their parameters alone', () => {
    const render = messageRenderer(language, messages);
    for (const code of codes) {
      const text = textOf(code);
      const [chosen, numbers] = [messageParams[code], messageParams[code]].map((names: readonly string[], index) =>
        names.filter((name) => text.includes(`{${name}, select,`) === (index === 0)),
      ) as [string[], string[]];
      // Words before a brace are the values by which a message chooses.
      const choices = ['other', ...new Set([...text.matchAll(/(\w+) \{/g)].map(([, value]) => value!))];
      const isTime = (name: string) => new RegExp(`\\{${name}, (date|time|number)`).test(text);
      const valueOf = (name: string, choice: string) => (isTime(name) && choice !== 'none' ? 1 : choice);
      const counts = /, (plural|number|date|time)\b/.test(text) ? [0, 1, 1_800_000_000_000] : [1];
      const given = counts.flatMap((number) =>
        choices.flatMap((usual) =>
          [null, ...chosen].flatMap((varied) =>
            (varied === null ? [usual] : choices).map((choice) => ({
              ...Object.fromEntries(numbers.map((name) => [name, number])),
              ...Object.fromEntries(chosen.map((name) => [name, valueOf(name, name === varied ? choice : usual)])),
            })),
          ),
        ),
      );
      const failing = given.filter((params) => !/\S/.test(render({ code, params }) ?? ''));
      expect(failing, code).toEqual([]);
    }
  });
});

it('names fields and types of sections in English as the server does', () => {
  const { field, section } = english.server;
  expect(field).toEqual(Object.fromEntries(Object.keys(field).map((name) => [name, fieldName(name)])));
  expect(section).toEqual(Object.fromEntries(Object.keys(section).map((type) => [type, sectionTypeName(type)])));
});

it('has the English texts that errors write themselves, for modules of the browser', () => {
  const errors = [
    new NotFoundError('page', 'about'),
    new NotFoundError('page', 'about', 'Did you mean "About us"?'),
    new TooLargeError('body', 1_000_000, 'bytes'),
    new MethodNotAllowedError(['GET', 'PUT']),
    new TurnLostError('trn_1'),
    ...['a'.repeat(500_001), '<b>'.repeat(201), '<b></b>'.repeat(30_001)].map(errorOfHtml),
  ];
  const render = messageRenderer('en-GB', english.server);
  expect(errors.map(({ text }) => render(text))).toEqual(errors.map(({ message }) => message));
  const thing: Readonly<Record<Thing, string>> = english.server.thing;
  expect(thing).toEqual(Object.fromEntries(Object.keys(thing).map((name) => [name, name])));
});

function errorOfHtml(html: string): ThroughlineError {
  try {
    parseHtml(html);
  } catch (error) {
    if (error instanceof ThroughlineError) return error;
  }
  throw new Error('The HTML was parsed.');
}

describe('a sentence of the server', () => {
  const text = serverText('subpages', { count: 1_200 });

  it('has its English text, in plurals and with numbers as people write them', () => {
    expect(text).toEqual({ code: 'subpages', params: { count: 1_200 }, text: 'It has 1,200 subpages.' });
    expect(serverText('subpages', { count: 1 }).text).toBe('It has 1 subpage.');
  });

  it('renders sentences within it in the same language, and unknown ones by their English text', () => {
    const render = messageRenderer('de', german.server);
    const within = (part: object) => render({ code: 'of-entry', params: { title: 'Preise', text: part as never } });
    expect(within({ ...text })).toBe('Preise: Sie hat 1.200 Unterseiten.');
    expect(within({ code: 'of-another-version', params: {}, text: 'It is blue.' })).toBe('Preise: It is blue.');
  });

  it('names the codes of the sentences within it', () => {
    const within = serverText('provider-said', { text: serverText('provider-key-refused'), quote: 'No.' });
    expect(within.text).toMatch(/ It said: "No\."$/);
    expect(codesIn(within)).toEqual(['provider-said', 'provider-key-refused']);
    expect(codesIn(uncodedText('No.'))).toEqual(['note']);
    const [wait, left] = [serverText('subpages', { count: 2 }), serverText('journal-menu-left')];
    expect(codesIn(serverText('journal-menu', { parts: [wait, left] }))).toEqual([
      'journal-menu',
      'subpages',
      'journal-menu-left',
    ]);
  });

  it('is left to its English text where a code is unknown or a parameter is missing', () => {
    const render = messageRenderer('de', german.server);
    expect(render({ code: 'toString', params: {} })).toBeNull();
    expect(render({ code: 'subpages', params: {} })).toBeNull();
  });
});

it('has the English texts of the rules that schemas have', () => {
  for (const { server } of [english, german]) expect(Object.keys(server.rule)).toEqual(Object.keys(valueRules));
  const render = messageRenderer('en-GB', english.server);
  expect(Object.entries(valueRules).map(([name]) => render({ code: `rule.${name}`, params: {} }))).toEqual(
    Object.values(valueRules),
  );
});
