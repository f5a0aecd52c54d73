import { LETTERS } from '#tests/support/bad-bodies';
import type { RouteRow } from '#tests/support/refusals/route-row';
import { MALFORMED_IDS } from '#tests/support/refusals/wrong-values';

const ABSENT_TOOL_SERVER = 'mcp_01h0000000000000000000000a';

const ABSENT_SITE = 'wps_01h0000000000000000000000a';

const aboutSession = (path: string): RouteRow => ({
  path,
  absent: [`${path}?sessionId=ses_01h0000000000000000000000a`],
  queries: ['sessionId=', 'sessionId=7', 'sessionId=ses_', `sessionId=${LETTERS.slice(0, 9_000)}`],
});

const toolServer = (rest: string): Pick<RouteRow, 'path' | 'absent' | 'malformed'> => ({
  path: `/api/settings/mcp-servers/${ABSENT_TOOL_SERVER}${rest}`,
  absent: [`/api/settings/mcp-servers/${ABSENT_TOOL_SERVER}${rest}`],
  malformed: MALFORMED_IDS.map((id) => `/api/settings/mcp-servers/${id}${rest}`),
});

const wordpressSite = (rest: string): Pick<RouteRow, 'path' | 'absent' | 'malformed'> => ({
  path: `/api/settings/sites/${ABSENT_SITE}${rest}`,
  absent: [`/api/settings/sites/${ABSENT_SITE}${rest}`],
  malformed: [...MALFORMED_IDS, ABSENT_TOOL_SERVER, 'embedded'].map((id) => `/api/settings/sites/${id}${rest}`),
});

/** Nothing answers there. */
const SITE = { url: 'http://127.0.0.1:1', username: 'Words', password: 'Words' };

const WRONG_SITES = [
  ...['', ' ', 7, null, 'two words', 'ftp://example.org', 'http://example.org', 'https://a:b@example.org', LETTERS].map(
    (url) => ({ url }),
  ),
  ...['', ' ', 7, null, 'a:b', LETTERS].map((username) => ({ username })),
  ...['', ' ', 7, null, LETTERS].map((password) => ({ password })),
  { isActive: true },
];

const http = { type: 'http', url: 'http://127.0.0.1:1/mcp' };

const WRONG_TOOL_SERVERS = [
  7,
  null,
  {},
  { type: 'ftp', url: http.url },
  ...['', 'words', 'file:///etc/passwd', 'ftp://127.0.0.1/', 'http://user:word@127.0.0.1/', 7].map((url) => ({
    ...http,
    url,
  })),
  { ...http, headers: { 'two words': 'x' } },
  { ...http, headers: { authorization: 'Bearer ${DATABASE_AUTH_TOKEN}' } },
  { ...http, headers: { authorization: null } },
  { ...http, headers: { authorization: 'x\ny\u0000' } },
  { ...http, command: 'sh' },
  { type: 'stdio', command: '' },
  { type: 'stdio', command: 'sh', args: 'x' },
  { type: 'stdio', command: 'sh', env: { TOKEN: '${PATH}' } },
  { type: 'stdio', command: 'sh', env: { 'A B': 'x' } },
  { type: 'stdio', command: 'sh', env: { TOKEN: null } },
].map((transport) => ({ transport }));

const WRONG_COSTS = [
  'by=',
  'by=nothing',
  'from=yesterday',
  'from=2026-13-01',
  'to=2026-02-31x',
  'from=2026-11-24&to=2026-11-23',
  'from=1900-01-01&to=2026-01-01',
];

/** Routes of settings, connected sites and tool servers. */
export const SETTINGS_REFUSALS: Readonly<Record<string, RouteRow>> = {
  'GET /api/settings': { path: '/api/settings' },
  'POST /api/settings/mail/test': {
    path: '/api/settings/mail/test',
    body: { email: 'edith@kiln.example' },
    wrong: [7, null, '', 'words', LETTERS].map((email) => ({ email })),
  },
  'PATCH /api/settings': {
    path: '/api/settings',
    body: { strategy: 'ledger' },
    wrong: [
      { strategy: 'Words' },
      { strategy: 7 },
      { nothing: 1 },
      { pruneProtect: -1 },
      { pruneProtect: '40000' },
      { usableShare: 0.5 },
      { engineOverrides: { usableShare: 0.95 } },
      { engineOverrides: { usableShare: 0.95, realTimeShare: 0.5 } },
      { engineOverrides: [0.5] },
      { exemptTools: [] },
      ...['', 7, 'nobody/nothing', 'a b', LETTERS].flatMap((model) => [
        { defaultModel: model },
        { compactionModel: model },
        { pruningAgentModel: model },
      ]),
      { maxSteps: 0 },
      { toolOutputChars: { get_content: 1 } },
      { toolPolicies: { get_content: 'maybe' } },
    ],
  },
  'GET /api/settings/sites': { path: '/api/settings/sites' },
  'POST /api/settings/sites': { path: '/api/settings/sites', body: SITE, wrong: WRONG_SITES },
  'POST /api/settings/sites/test': { path: '/api/settings/sites/test', body: SITE, wrong: WRONG_SITES },
  'POST /api/settings/sites/active': {
    path: '/api/settings/sites/active',
    body: { siteId: 'embedded' },
    wrong: ['', 7, null, 'other', ABSENT_SITE, ABSENT_TOOL_SERVER].map((siteId) => ({ siteId })),
  },
  'PATCH /api/settings/sites/[id]': {
    ...wordpressSite(''),
    body: { username: 'Words' },
    wrong: [{ username: 'a:b' }, { password: '' }, { url: 'https://example.org' }],
  },
  'DELETE /api/settings/sites/[id]': wordpressSite(''),
  'POST /api/settings/sites/[id]/pull': wordpressSite('/pull'),
  'GET /api/settings/mcp-servers': { path: '/api/settings/mcp-servers' },
  'POST /api/settings/mcp-servers': {
    path: '/api/settings/mcp-servers',
    body: { name: 'everything', transport: http },
    wrong: [
      ...['', 'a__b', 'A', '-a', 'a-', 'a b', 7, 'x'.repeat(25)].map((name) => ({ name })),
      ...WRONG_TOOL_SERVERS,
      ...['', 'maybe', 7, null].map((policy) => ({ policy })),
      { isEnabled: 'yes' },
    ],
  },
  'PATCH /api/settings/mcp-servers/[id]': {
    ...toolServer(''),
    body: { isEnabled: false },
    wrong: [{ name: 'A' }, { policy: 'maybe' }, { isEnabled: null }, ...WRONG_TOOL_SERVERS],
  },
  'DELETE /api/settings/mcp-servers/[id]': toolServer(''),
  'POST /api/settings/mcp-servers/[id]/test': { ...toolServer('/test'), wrong: WRONG_TOOL_SERVERS },
  'POST /api/settings/mcp-servers/[id]/sign-in': toolServer('/sign-in'),
  'DELETE /api/settings/mcp-servers/[id]/sign-in': toolServer('/sign-in'),
  'POST /api/settings/mcp-servers/[id]/sign-in/answer': {
    ...toolServer('/sign-in/answer'),
    body: { state: 'Words', code: 'Words' },
    wrong: [{ state: '' }, { state: null }, { code: '' }, { iss: 7 }, { error: '<b>' }, { more: 'Words' }],
  },
  'POST /api/settings/mcp-servers/test': {
    path: '/api/settings/mcp-servers/test',
    body: { transport: { type: 'http', url: 'http://127.0.0.1:1/mcp' } },
    wrong: WRONG_TOOL_SERVERS,
  },
  'GET /api/models': aboutSession('/api/models'),
  'GET /api/budgets': aboutSession('/api/budgets'),
  'GET /api/admin/costs': { path: '/api/admin/costs', queries: WRONG_COSTS },
  'GET /api/admin/costs/csv': { path: '/api/admin/costs/csv', queries: WRONG_COSTS },
  'GET /api/settings/local-servers': { path: '/api/settings/local-servers' },
  'DELETE /api/settings/learned-windows': {
    path: '/api/settings/learned-windows?modelId=local/m',
    absent: [],
    malformed: ['', '?modelId=', `?modelId=${'m'.repeat(201)}`, '?id=local/m'].map(
      (query) => `/api/settings/learned-windows${query}`,
    ),
  },
  'PUT /api/settings/providers/[id]': {
    path: '/api/settings/providers/openai-compatible',
    malformed: [...MALFORMED_IDS, 'built-in', 'constructor'].map((id) => `/api/settings/providers/${id}`),
    body: { baseUrl: 'http://127.0.0.1:1/v1' },
    wrong: [
      ...[
        '',
        ' ',
        7,
        null,
        'two words',
        'ftp://127.0.0.1/',
        'http://user:word@127.0.0.1/',
        'http://example.org/v1',
      ].map((baseUrl) => ({ baseUrl })),
      ...[7, null, 'two words', 'x\ny', 'ключ', LETTERS].map((apiKey) => ({ apiKey })),
      ...['', 7, LETTERS].map((modelId) => ({ modelId })),
      { anyway: 'yes' },
      { provider: 'openrouter' },
    ],
  },
  'DELETE /api/settings/providers/[id]': {
    path: '/api/settings/providers/anthropic',
    absent: ['/api/settings/providers/anthropic'],
    malformed: [...MALFORMED_IDS, 'built-in'].map((id) => `/api/settings/providers/${id}`),
  },
  'POST /api/settings/providers/[id]/test': {
    path: '/api/settings/providers/built-in/test',
    malformed: [...MALFORMED_IDS, 'openrouter2', 'constructor'].map((id) => `/api/settings/providers/${id}/test`),
  },
};
