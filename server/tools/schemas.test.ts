import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonValue } from '#server/core/json';
import { tools } from '#server/tools/index';
import { correctToolInput, inputProblem } from '#server/tools/schemas';

const problem = (name: string, input: unknown) =>
  inputProblem(
    tools.find((tool) => tool.name === name)!,
    input,
  );
const long = 'x'.repeat(1_234);

it.each([
  ['list_content', {}, 'Invalid input: type is missing: it must be "page" or "post".'],
  ['list_content', { type: 'page', limit: 500 }, 'Invalid input: limit may be at most 100 (is 500).'],
  ['list_content', { type: 'page', limit: 'all' }, 'Invalid input: limit must be a number.'],
  ['delete_content', {}, 'Invalid input: ref is missing.'],
  ['list_content', { type: 'moon' }, 'Invalid input: type must be "page" or "post".'],
  [
    'update_content',
    { ref: '', title: long },
    'Invalid input: ref must have at least 1 character; title may have at most 200 characters (has 1,234).',
  ],
  ['keep_in_mind', { quote: long }, 'Invalid input: quote may have at most 1,000 characters (has 1,234).'],
  [
    'ask_user',
    { question: 'Which?', options: Array(12).fill('one') },
    'Invalid input: options may have at most 10 items (has 12).',
  ],
  ['ask_user', 'Which?', 'Invalid input: must be an object.'],
  [
    'create_content',
    { type: 'page', title: 'A', sections: [{ type: 'text', fields: [] }] },
    'Invalid input: sections[0].fields must be an object.',
  ],
  // Placed next to the fields instead of inside, or under another name: without it the call would do something else.
  [
    'add_section',
    { ref: 'home', type: 'text', body: 'Hello' },
    'Invalid input: it takes no "body", but ref, type, fields, position.',
  ],
  [
    'create_content',
    { type: 'page', title: 'A', sections: [{ type: 'text', body: 'Hello' }] },
    'Invalid input: sections[0] takes no "body".',
  ],
  [
    'publish_content',
    { ref: 'home', publishAt: '2027-01-05' },
    'Invalid input: it takes no "publishAt", but ref, refs, at.',
  ],
  [
    'list_content',
    { type: 'post', author: 'Ada' },
    'Invalid input: it takes no "author", but type, status, planned, tag, parent, sort, limit, cursor.',
  ],
  ['update_content', { ref: 'home', seo: { keywords: 'rye' } }, 'Invalid input: seo takes no "keywords".'],
])('describes an invalid input of %s in a sentence with the limit', (name, input, sentence) => {
  expect(problem(name, input)).toBe(sentence);
});

it('is one short sentence, however much is wrong', () => {
  const input = { type: 'page', title: 'A', sections: Array.from({ length: 40 }, () => ({ type: long })) };
  expect(problem('create_content', input)).toMatch(/^Invalid input: sections\[0\]\.type must be .*; and 36 more\.$/);
  expect(problem('list_content', { type: 'page' })).toBeNull();
  // Copied as get_content gives it.
  const copied = { id: 'sec_bcdfgh', type: 'text', fields: { body: 'Hello' } };
  expect(problem('create_content', { type: 'page', title: 'A', sections: [copied] })).toBeNull();
  // A tool without input ignores all fields.
  expect(problem('get_settings', { reason: 'To see them.' })).toBeNull();
});

describe('correctToolInput', () => {
  const input = z.strictObject({
    refs: z.array(z.string()).optional(),
    sections: z.array(z.strictObject({ type: z.string() })).optional(),
    fields: z.record(z.string(), z.string()).optional(),
    count: z.int().optional(),
    all: z.boolean().optional(),
    text: z.string().optional(),
    parent: z.string().optional(),
  });
  const meant = (value: JsonValue, name = 'change_it') => correctToolInput({ name, input, writes: true }, value);

  it.each<[JsonValue, JsonValue]>([
    [
      { count: '2', all: 'true' },
      { count: 2, all: true },
    ],
    [{ refs: 'rooms' }, { refs: ['rooms'] }],
    [{ refs: '["a","b"]' }, { refs: ['a', 'b'] }],
    // It could be meant for the whole list, as what it is to be now.
    [{ sections: { type: 'hero' } }, { sections: { type: 'hero' } }],
    [{ refs: 'news, events' }, { refs: 'news, events' }],
    [{ sections: '[{"type":"hero"}]' }, { sections: [{ type: 'hero' }] }],
    [{ fields: '{"body":"Rye"}' }, { fields: { body: 'Rye' } }],
    // What is right stays, however it looks.
    [{ text: '2' }, { text: '2' }],
    [{ text: '{"a":1}' }, { text: '{"a":1}' }],
    // Values without a plausible meaning stay invalid.
    [{ count: 'two' }, { count: 'two' }],
    [{ fields: '["body"]' }, { fields: '["body"]' }],
    [{ all: 'maybe', refs: '' }, { all: 'maybe' }],
    ['[]', '[]'],
  ])('%j is %j', (value, expected) => expect(meant(value)).toEqual(expected));

  it('makes a list of one thing for what is new', () =>
    expect(meant({ sections: { type: 'hero' } }, 'create_it')).toEqual({ sections: [{ type: 'hero' }] }));

  it('reports only real errors', () => {
    const value = meant({ parent: null, count: '3', status: 'draft' }, 'create_it');
    expect(inputProblem({ input }, value)).toMatch(/^Invalid input: it takes no "status", but refs, /);
  });
});
