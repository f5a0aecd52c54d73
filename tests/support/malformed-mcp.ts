import { attemptOf } from '#tests/support/oauth-world';
import { BROKEN_BODIES, BROKEN_VALUES, LETTERS } from '#tests/support/bad-bodies';
import { randomNumbers } from '#tests/support/random-numbers';

/** A request that no endpoint for programs may accept. */
export interface MalformedRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Values that are wrong wherever a text of a certain form is expected. */
const JUNK: readonly unknown[] = [
  null,
  0,
  -1,
  1e308,
  true,
  [],
  {},
  [[]],
  '',
  '\u0000',
  '__proto__',
  'constructor',
  '\uD800',
  '../../etc/passwd',
  "'; DROP TABLE api_keys; --",
  '${jndi:ldap://a}',
  '<script>',
  LETTERS,
  { toString: 'x' },
  ['a', { b: [] }],
  '\u202E',
  'http://169.254.169.254/',
  'file:///etc/passwd',
];

const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'create_content', arguments: { type: 'page', title: 'Never stored' } },
};
/** Where a wrong value makes the call one that cannot run. */
const FIELDS = ['jsonrpc', 'method', 'params', 'params.name', 'params.arguments.type'] as const;
const FORM = 'application/x-www-form-urlencoded';

/** Requests of all endpoints for programs, each malformed in its own way; the same ones for the same seed. */
export function malformedRequests(count: number, seed: number): MalformedRequest[] {
  const random = randomNumbers(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const cut = (text: string) => text.slice(0, Math.floor(random() * (text.length - 1)));
  const text = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  const broken = () => pick([...Object.values(BROKEN_BODIES), ...BROKEN_VALUES]);
  const json = { 'content-type': 'application/json' };

  const withJunk = (path: string): string => {
    const copy = structuredClone(CALL) as unknown as Record<string, unknown>;
    const names = path.split('.');
    const last = names.pop()!;
    let at = copy;
    for (const name of names) at = at[name] as Record<string, unknown>;
    at[last] = pick(JUNK);
    return JSON.stringify(copy);
  };
  const params = (value: unknown) => JSON.stringify({ ...CALL, method: pick(METHODS), params: value });
  const kinds: readonly (() => MalformedRequest)[] = [
    () => ({ method: 'POST', path: '/mcp', headers: json, body: withJunk(pick(FIELDS)) }),
    () => ({ method: 'POST', path: '/mcp', headers: json, body: cut(JSON.stringify(CALL)) }),
    () => ({ method: 'POST', path: '/mcp', headers: json, body: broken() }),
    () => ({ method: 'POST', path: '/mcp', headers: json, body: params(pick(JUNK)) }),
    // The newest revision wants its version, its client and its capabilities with each request, and equal headers.
    () => ({
      method: 'POST',
      path: '/mcp',
      headers: {
        ...json,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': pick(METHODS),
        'mcp-name': pick(METHODS),
      },
      body: params({ ...CALL.params, _meta: { 'io.modelcontextprotocol/protocolVersion': pick(JUNK) } }),
    }),
    () => ({ method: 'POST', path: '/oauth/register', headers: json, body: broken() }),
    () => ({
      method: 'POST',
      path: '/oauth/register',
      headers: json,
      body: JSON.stringify({ redirect_uris: pick(JUNK) }),
    }),
    () => ({ method: 'POST', path: '/oauth/token', headers: { 'content-type': FORM }, body: broken() }),
    () => ({
      method: 'POST',
      path: pick(['/oauth/token', '/oauth/revoke']),
      headers: { 'content-type': pick([FORM, 'application/json', 'text/plain', '']) },
      body: ['grant_type', 'code', 'refresh_token', 'client_id', 'token', '%', '%ff', '=&=', pick(['a', '\u0000'])]
        .map((name) => `${name}=${random() < 0.5 ? '%zz' : encodeURIComponent(text(pick(JUNK)).toWellFormed())}`)
        .join('&'),
    }),
    () => {
      const { query } = attemptOf('tlc_unknown');
      const name = pick(['client_id', 'response_type', 'code_challenge', 'code_challenge_method', 'redirect_uri']);
      const changed = { ...query, [name]: text(pick(JUNK)).toWellFormed() };
      const body = { query: new URLSearchParams(changed).toString(), userId: '', isAllowed: true, mayPublish: true };
      return { method: 'POST', path: '/api/oauth/consent', headers: json, body: JSON.stringify(body) };
    },
    () => ({ method: 'POST', path: '/api/oauth/consent', headers: json, body: broken() }),
  ];
  return Array.from({ length: count }, (_, index) => kinds[index % kinds.length]!());
}

const METHODS = [
  'initialize',
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'prompts/get',
  'completion/complete',
  'subscriptions/listen',
  'ping',
  'notifications/cancelled',
  'tasks/get',
  '__proto__',
];
