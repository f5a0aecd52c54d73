import { expect, it } from 'vitest';
import { InvalidInputError } from '#server/core/errors';
import { oauthFetch } from '#server/integrations/mcp-client/oauth/oauth-fetch';
import { startLoopback } from '#tests/support/loopback-server';

it('reaches another port of a tool server only if its host is a private address, not a name', async () => {
  await using other = await startLoopback((_, response) => void response.end('{}'));
  // Some systems resolve this name to the loopback address, others not at all; neither is on the public internet.
  const named = oauthFetch('http://tools.localhost:1/mcp');
  await expect(named(`http://tools.localhost:${other.port}`)).rejects.toThrow(InvalidInputError);
  expect((await oauthFetch('http://127.0.0.1:1/mcp')(other.url)).status).toBe(200);
});
