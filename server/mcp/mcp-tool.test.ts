import { expect, it } from 'vitest';
import type { McpDefinition } from '#server/mcp/connection';
import { toMcpTool } from '#server/mcp/mcp-tool';

const server = {
  id: 'mcp_1',
  name: 'odd',
  transport: { type: 'http', url: 'https://tools.example/mcp', headers: {} },
  policy: 'ask',
  isEnabled: true,
} as const;
const toolOf = (inputSchema: object) =>
  toMcpTool(server, { name: 'look', inputSchema } as McpDefinition, 'odd__look', {
    call: () => Promise.reject(new Error('It is not called.')),
  }).tool;

it('tells a model nothing of a schema that nobody sees, and no half characters', () => {
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
