import { expect, it } from 'vitest';
import { isRefused, readAuthorizationRequest } from '#server/core/oauth/authorization-request';

const REGISTERED = 'https://assistant.example/callback';
const client = { id: 'tlc_1', name: 'Assistant', redirectUris: [REGISTERED], createdAt: 0 };
const valid = {
  response_type: 'code',
  client_id: client.id,
  redirect_uri: REGISTERED,
  state: 'kept',
  code_challenge: 'a'.repeat(43),
  code_challenge_method: 'S256',
};
const read = (changes: Record<string, string>, more = '') =>
  readAuthorizationRequest(new URLSearchParams({ ...valid, ...changes }).toString() + more, {
    resource: 'https://cms.example/mcp',
    findClient: async (id) => (id === client.id ? client : null),
  });

it.each<Record<string, string>>([
  { redirect_uri: 'https://evil.example/' },
  { redirect_uri: `${REGISTERED}/more` },
  { redirect_uri: '' },
  { client_id: 'tlc_unknown' },
])('sends nothing, not even an error, to an address that is not registered: %j', async (changes) => {
  const answer = await read(changes);
  expect(isRefused(answer)).toBe(true);
  expect(answer.redirectUri).toBeNull();
});

it('does not redirect when the request names two redirect addresses', async () => {
  expect((await read({}, `&redirect_uri=${encodeURIComponent(REGISTERED)}`)).redirectUri).toBeNull();
});

it('redirects an error to a registered address', async () => {
  const answer = await read({ response_type: 'token' });
  expect(isRefused(answer)).toBe(true);
  expect(answer).toMatchObject({ redirectUri: REGISTERED, state: 'kept' });
});
