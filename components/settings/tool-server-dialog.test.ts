import { describe, expect, it } from 'vitest';
import { emptyPair, toDraft, toTransport } from '#components/settings/tool-server-draft.ts';
import type { McpServerReport } from '#server/core/admin/mcp-servers';

const server: McpServerReport = {
  id: 'mcp_1',
  name: 'github',
  transport: { type: 'http', url: 'https://tools.example/mcp', headers: ['authorization', 'x-team'] },
  policy: 'always',
  isEnabled: true,
  siteId: null,
  status: 'ready',
  problem: null,
  problemMessage: null,
  signIn: 'none',
  since: 0,
  tokens: 0,
  tools: [],
};

describe('the form of a tool server', () => {
  it('keeps the values that are stored, and sends those that are typed', () => {
    const draft = toDraft(server);
    expect(draft.headers.map(({ value }) => value)).toEqual(['', '']);
    const [first, second] = draft.headers;
    const changed = { ...draft, headers: [first!, { ...second!, value: 'web' }, { ...emptyPair(), name: ' ' }] };
    expect(toTransport(changed)).toEqual({
      type: 'http',
      url: 'https://tools.example/mcp',
      headers: { authorization: null, 'x-team': 'web' },
    });
  });

  it('reads the arguments of a program line by line', () => {
    const draft = { ...toDraft(null), type: 'stdio' as const, command: ' npx ', args: '-y\n\nsome-server --flag\n' };
    const env = [
      { ...emptyPair(), name: 'TOKEN', value: '${MCP_TOKEN}' },
      { ...emptyPair(), name: 'EMPTY' },
    ];
    expect(toTransport({ ...draft, env })).toEqual({
      type: 'stdio',
      command: 'npx',
      args: ['-y', 'some-server --flag'],
      env: { TOKEN: '${MCP_TOKEN}', EMPTY: '' },
    });
  });
});
