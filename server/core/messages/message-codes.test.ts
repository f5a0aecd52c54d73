import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import german from '#messages/de.json' with { type: 'json' };
import english from '#messages/en.json' with { type: 'json' };
import { type MessageCode, messageParams } from '#server/core/messages/message-codes';
import { codesIn, uncodedText } from '#server/core/message-data';
import { messageRenderer } from '#server/core/messages/render-message';
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
  const messages: Readonly<Record<string, string>> = server;

  it('have a text for every code, and no other', () => {
    expect(Object.keys(messages).toSorted()).toEqual(codes.toSorted());
  });

  it.each(codes)('%s uses no parameter that it is not given', (code) => {
    const used = [...messages[code]!.matchAll(/\{([a-z]\w*)[,}]/g)].map(([, name]) => name!);
    const params: readonly string[] = messageParams[code];
    expect(used.filter((name) => !params.includes(name))).toEqual([]);
  });

  it.each(codes)('%s can be rendered', (code) => {
    const params = Object.fromEntries(messageParams[code].map((name) => [name, 1_800_000_000_000]));
    expect(messageRenderer(language, messages)({ code, params })).toMatch(/\S/);
  });
});

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
  });

  it('is left to its English text where a code is unknown or a parameter is missing', () => {
    const render = messageRenderer('de', german.server);
    expect(render({ code: 'toString', params: {} })).toBeNull();
    expect(render({ code: 'subpages', params: {} })).toBeNull();
  });
});
