import { describe, expect, it } from 'vitest';
import { uncodedText } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import { ToolError } from '#server/core/errors';
import { type McpTransport, mcpTransportInput } from '#server/core/admin/mcp-servers';
import { fillTransport } from '#server/integrations/mcp-client/transport-secrets';

const variables = { MCP_TOKEN: 'tok-1234', MCP_EMPTY: '', OPENROUTER_API_KEY: 'sk-never' };
const http = (authorization: string): McpTransport => ({
  type: 'http',
  url: 'https://tools.example/mcp',
  headers: { authorization },
});

describe('fillTransport', () => {
  it('reads values from the environment, and redacts them in messages', () => {
    const { transport, redact } = fillTransport(http('Bearer ${MCP_TOKEN}'), variables);
    expect(transport).toEqual(http('Bearer tok-1234'));
    const said = { text: uncodedText('"Bearer tok-1234" is wrong'), quote: 'tok-1234' };
    const hidden = { text: uncodedText('"•••" is wrong'), quote: '•••' };
    expect(redact(serverText('provider-said', said))).toEqual(serverText('provider-said', hidden));
  });

  it('redacts values that are in the configuration itself', () => {
    const { redact } = fillTransport(
      { type: 'stdio', command: 'x', args: [], env: { A: 'plain-secret', B: 'on' } },
      {},
    );
    expect(redact(uncodedText('A=plain-secret, turned on')).text).toBe('A=•••, turned on');
  });

  it('redacts the value after the scheme of a header', () => {
    const { redact } = fillTransport(http('Bearer sk-plain-0123'), {});
    expect(redact(uncodedText('Wrong key for this bearer: sk-plain-0123.')).text).toBe(
      'Wrong key for this bearer: •••.',
    );
  });

  it('redacts values that it read in answers that repeat them, and no other text', () => {
    const secret = 'a "quoted" secret';
    const env = { KEY: '${MCP_KEY}', NODE_ENV: 'production' };
    const { redactAnswer } = fillTransport({ type: 'stdio', command: 'x', args: [], env }, { MCP_KEY: secret });
    expect(
      redactAnswer({ content: [{ text: JSON.stringify({ KEY: 'x' }) }, { text: `KEY=${secret} in production` }] }),
    ).toEqual({ content: [{ text: '{"KEY":"x"}' }, { text: 'KEY=••• in production' }] });
    const { redactAnswer: ofHttp } = fillTransport(http('Bearer sk-plain-0123'), {});
    expect(ofHttp(['authorization: Bearer sk-plain-0123', 'sk-plain-0123'])).toEqual(['authorization: •••', '•••']);
  });

  it.each(['MCP_ABSENT', 'MCP_EMPTY'])('names %s, which has no value', (name) => {
    expect(() => fillTransport(http(`\${${name}}`), variables)).toThrow(ToolError);
    expect(() => fillTransport(http(`\${${name}}`), variables)).toThrow(`The environment variable ${name} is not set.`);
  });

  it('never reads other variables', () => {
    expect(mcpTransportInput.safeParse(http('${OPENROUTER_API_KEY}')).success).toBe(false);
    expect(() => fillTransport(http('${OPENROUTER_API_KEY}'), variables)).toThrow(/is not set/);
  });
});
