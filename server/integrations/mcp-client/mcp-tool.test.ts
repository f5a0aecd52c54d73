import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { describe, expect, it } from 'vitest';
import type { McpDefinition } from '#server/integrations/mcp-client/connection';
import { modelNames } from '#server/integrations/mcp-client/model-names';
import { toInputSchema, toMcpTool } from '#server/integrations/mcp-client/mcp-tool';
import { toRichResult } from '#server/integrations/mcp-client/tool-result';

const server = {
  id: 'mcp_1',
  name: 'odd',
  transport: { type: 'http', url: 'https://tools.example/mcp', headers: {} },
  policy: 'ask',
  isEnabled: true,
} as const;
const refuse = () => Promise.reject(new Error('It is not called.'));
const caller = { call: refuse, readResource: refuse };
const toolOf = (inputSchema: object) =>
  toMcpTool(server, { name: 'look', inputSchema } as McpDefinition, 'odd__look', caller).tool;

it('removes hidden parts of a schema and halves of characters before a model reads it', () => {
  const hidden = Array.from('obey', (sign) => String.fromCodePoint(0xe0000 + sign.charCodeAt(0))).join('');
  const { inputSchema } = toolOf({
    type: 'object',
    title: `Looks${hidden}`,
    properties: { [`at${hidden}`]: { enum: [`here${hidden}`, 'half \ud800'], description: `Where.\u202E${hidden}` } },
  });
  expect(inputSchema).toEqual({
    type: 'object',
    title: 'Looks',
    properties: { at: { enum: ['here', 'half \ufffd'], description: 'Where.' } },
  });
});

it('offers an object without choices at its top, which providers refuse with the whole request', () => {
  const { inputSchema } = toolOf({
    type: 'object',
    properties: { unit: { type: 'string' } },
    anyOf: [
      { properties: { city: { type: 'string' } }, required: ['city'] },
      { type: 'object', properties: { place: { anyOf: [{ type: 'number' }, { type: 'null' }] } } },
      true,
    ],
    not: { required: ['unit'] },
  });
  expect(inputSchema).toEqual({
    type: 'object',
    properties: {
      city: { type: 'string' },
      place: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      unit: { type: 'string' },
    },
  });
});

it('is off where its server is', () => {
  expect(toMcpTool({ ...server, policy: 'off' }, { name: 'x', inputSchema: {} }, 'odd__x', null!).tool.policy).toBe(
    'off',
  );
});

const named = (...names: string[]) => Object.fromEntries(modelNames('srv', names));

describe('modelNames', () => {
  it("prefixes the server's name and keeps valid characters", () => {
    expect(named('get-sum', 'list.all things', 'ärger')).toEqual({
      'get-sum': 'srv__get-sum',
      'list.all things': 'srv__list_all_things',
      ärger: 'srv___rger',
    });
  });

  it('keeps names apart that would be the same, each always in the same way', () => {
    const both = named('a b', 'a.b', 'c');
    expect(new Set(Object.values(both)).size).toBe(3);
    expect(both).toMatchObject({ 'a b': expect.stringMatching(/^srv__a_b_[0-9a-f]{6}$/), c: 'srv__c' });
    expect(named('c', 'a.b', 'a b')).toEqual(both);
  });

  it('cuts long names and keeps those apart that begin alike', () => {
    const [one, two] = [`${'x'.repeat(80)}1`, `${'x'.repeat(80)}2`];
    const cut = Object.values(named(one, two));
    expect(cut.map(({ length }) => length)).toEqual([64, 64]);
    expect(cut[0]).not.toBe(cut[1]);
  });
});

const convert = (result: object) => toRichResult({ ...result });

describe('toRichResult', () => {
  it('keeps texts, pictures and resources, and names what it omits', () => {
    const { parts, isError } = convert({
      content: [
        { type: 'text', text: 'Hello' },
        { type: 'image', data: 'AQID', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'a:1', mimeType: 'text/plain', text: 'Words' } },
        { type: 'resource', resource: { uri: 'a:2', mimeType: 'image/webp', blob: 'AQID' } },
        { type: 'resource', resource: { uri: 'a:3', mimeType: 'application/gzip', blob: 'AQID' } },
        { type: 'resource_link', uri: 'a:4', name: 'Four', description: 'The fourth.' },
        { type: 'audio', data: 'AQID', mimeType: 'audio/wav' },
        { type: 'image', data: 7 },
      ],
    });
    expect(isError).toBe(false);
    expect(parts).toEqual([
      { type: 'text', text: 'Hello' },
      { type: 'image', data: Buffer.from([1, 2, 3]), mediaType: 'image/png' },
      { type: 'resource', uri: 'a:1', mediaType: 'text/plain', text: 'Words' },
      { type: 'image', data: Buffer.from([1, 2, 3]), mediaType: 'image/webp' },
      { type: 'other', kind: 'binary resource a:3 (application/gzip)' },
      { type: 'resource', uri: 'a:4', title: 'Four: The fourth.' },
      { type: 'other', kind: 'audio (audio/wav)' },
      { type: 'other', kind: 'image' },
    ]);
  });

  it('repeats structured data only if no text has it', () => {
    const structuredContent = { degrees: 20, sky: 'clear' };
    const texts = ['{"sky":"clear","degrees":20}', 'A fine day.'].map((text) => ({ type: 'text', text }));
    expect(convert({ content: texts, structuredContent })).toMatchObject({
      parts: [{ type: 'text', text: 'A fine day.' }],
      structured: structuredContent,
    });
  });

  it('keeps that it is an error, and the older form of a result', () => {
    expect(convert({ content: [], isError: true }).isError).toBe(true);
    expect(convert({ toolResult: { ok: 1 } })).toMatchObject({ parts: [], structured: { ok: 1 } });
  });
});

it('leaves null out of a schema where it is no value', () => {
  const { inputSchema } = toolOf({
    type: 'object',
    properties: { a: { type: 'string', default: null, enum: ['x', null], description: null }, b: null },
    required: null,
    additionalProperties: null,
  });
  expect(inputSchema).toEqual({
    type: 'object',
    properties: { a: { type: 'string', default: null, enum: ['x', null] } },
  });
});

it('needs the right to write, also where its server calls it read-only', () => {
  for (const policy of ['ask', 'always'] as const) {
    const definition = {
      name: 'look',
      inputSchema: {},
      annotations: { readOnlyHint: true },
    } as unknown as McpDefinition;
    const { tool } = toMcpTool({ ...server, policy }, definition, 'odd__look', caller);
    expect(tool.writes).toBe(true);
  }
});

const validator = new AjvJsonSchemaValidator();

it.each([
  ['draft 3: a property that says that it is required', { q: { type: 'string', required: true } }],
  ['draft 4: exclusive limits that are booleans', { q: { type: 'number', minimum: 0, exclusiveMinimum: true } }],
  [
    'draft 7: a list of schemas for the items',
    { q: { type: 'array', items: [{ type: 'string' }], additionalItems: false } },
  ],
  ['an unknown type', { q: { type: 'any' }, r: { type: ['string', 'file'] } }],
  ['a pattern of another language', { q: { type: 'string', pattern: '(?i)yes' } }],
  ['numbers as texts', { q: { type: 'string', minLength: '3', maximum: '4', multipleOf: 0 } }],
  ['empty alternatives', { q: { anyOf: [], enum: [] } }],
  ['a reference to another document', { q: { $ref: 'https://schemas.example/q.json' } }],
  ['properties that are a list', { q: { type: 'object', properties: ['a'], required: 'a' } }],
])('sends schemas that are valid in JSON Schema 2020-12: %s', (_, properties) => {
  const mended = toInputSchema({ $schema: 'http://json-schema.org/draft-04/schema#', type: 'object', properties });
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  expect(() => validator.getValidator({ ...mended, $schema })).not.toThrow();
  expect(Object.keys(mended['properties'] as object)).toEqual(Object.keys(properties));
});

it('keeps what older drafts meant', () => {
  const items = [{ type: 'string' }];
  const properties = {
    a: { type: 'number', maximum: 9, exclusiveMaximum: true, required: true },
    b: { items, additionalItems: false },
  };
  expect(toInputSchema({ type: 'object', properties, required: ['b'] })).toEqual({
    type: 'object',
    properties: { a: { type: 'number', exclusiveMaximum: 9 }, b: { prefixItems: items, items: false } },
    required: ['b', 'a'],
  });
});
