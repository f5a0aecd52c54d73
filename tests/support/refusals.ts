import { MAX_NAVIGATION_LEVELS } from '#server/core/limits';
import { ACCESS } from '#tests/support/access-table';
import { LETTERS } from '#tests/support/bad-bodies';
import { NO_APPROVAL } from '#tests/support/decisions';
import { said } from '#tests/support/said';

/** What a route is given to refuse. `{session}` in a path or body is a session of the test. */
export interface RouteRow {
  /** A path where everything is right; what is wrong comes in addition. */
  readonly path: string;
  /** The same path naming what is not there: 404. */
  readonly absent: readonly string[];
  /** The same path with ids that cannot be: 400 or 404. */
  readonly malformed: readonly string[];
  /** A body the route would accept; the text `Words` in it is free text. */
  readonly body?: object;
  /** It takes any bytes; these it refuses: 400, 413 or 415. */
  readonly wrongBytes?: readonly Buffer[];
  /** Changes of that body that make it wrong: 400, 404, 409, 413 or 422. */
  readonly wrong: readonly object[];
  /** Bytes. */
  readonly bodyLimit?: number;
  /** Query strings: 400. */
  readonly queries?: readonly string[];
}

/** A row as it is written here: what is left out follows from the name of the route. */
interface Given extends Partial<RouteRow> {
  /** Optional fields of the body, which are tried with what is wrong for their name, as all of `body` are. */
  readonly fields?: readonly string[];
  /** The session is named in the query. */
  readonly isOfSession?: true;
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
/** Changes of one field. */
const each = (field: string, ...values: readonly unknown[]): object[] => values.map((value) => ({ [field]: value }));
const absentId = (prefix: string) => `${prefix}_01h0000000000000000000000a`;

const LONG_QUERY = LETTERS.slice(0, 9_000);
const LARGE_BODY = 32_000_000;
const MALFORMED_IDS = [
  '7',
  'ses_',
  '__proto__',
  absentId('SES'),
  '%00',
  '%ff',
  '%E0%A4%A',
  '..%2f..',
  "'--",
  LONG_QUERY,
];
const WRONG_LIMITS = ['0', '-1', 'NaN', '1.5', '', '1e9', 'ten', 'Infinity'].map((limit) => `limit=${limit}`);
const WRONG_CURSORS = ['', 'x', '%00', 'bnVsbA', 'e30', 'W10', 'WzEse31d', LONG_QUERY].map((at) => `cursor=${at}`);
const WRONG_MODELS = ['', 'nobody/nothing', 'a%20b', LONG_QUERY].map((modelId) => `modelId=${modelId}`);
const WRONG_EVENT_IDS = ['', '-1', '1.5', '1e3', 'x', '9'.repeat(16), LONG_QUERY].map((id) => `lastEventId=${id}`);
const WRONG_WRITES = ['dryRun=', 'dryRun=maybe', 'ifRevision=0', 'ifRevision=-1', 'ifRevision=1.5', 'ifRevision=x'];
/** Of a list with pages of at most so many items. */
const pages = (most: number) => [...WRONG_LIMITS, `limit=${most + 1}`, ...WRONG_CURSORS];

interface Parameter {
  readonly value: string;
  readonly absent?: readonly string[];
}

const SESSION: Parameter = { value: '{session}', absent: [absentId('ses')] };
/** None of its kind is there. */
const none = (prefix: string): Parameter => ({ value: absentId(prefix), absent: [absentId(prefix)] });
const ENTRY = '/api/content/[collection]/[ref]';

/** What a parameter of an address is replaced by, by the pattern up to it. */
const PARAMETERS: Readonly<Record<string, Parameter>> = {
  '/api/sessions/[id]': SESSION,
  '/api/chat/[id]': SESSION,
  '/api/admin/sessions/[id]': SESSION,
  '/api/sessions/[id]/approvals/[approvalId]': { value: NO_APPROVAL, absent: [NO_APPROVAL] },
  '/api/sessions/[id]/compactions/[compactionId]': none('cmp'),
  '/api/sessions/[id]/wishes/[wishId]': none('kep'),
  '/api/attachments/[id]': none('blb'),
  '/api/message/queue/[id]': none('que'),
  '/api/call-requests/[id]': none('req'),
  '/api/keys/[id]': none('key'),
  '/api/backups/[id]': none('bak'),
  // In local mode there are no people to be found: 409.
  '/api/users/[id]': { value: absentId('usr') },
  '/api/auth/factors/passkeys/[id]': { value: absentId('psk') },
  '/api/auth/sign-ins/[id]': { value: absentId('sin') },
  '/api/content/[collection]': { value: 'pages', absent: ['pictures', '__proto__', 'constructor'] },
  [ENTRY]: { value: 'workshops', absent: ['constructor', '__proto__', 'nowhere', '%00', "'--", 'x'.repeat(900)] },
  [`${ENTRY}/comments/[comment]`]: {
    value: 'cmt_01kas8z1c3e5g7j9m1p3r5t7v9',
    absent: ['cmt_01kas8z1c3e5g7j9m1p3r5t7v9'],
  },
  [`${ENTRY}/preview-links/[link]`]: none('lnk'),
  [`${ENTRY}/versions/[revision]`]: { value: '1' },
  '/api/content/changes/[id]': { value: 'chg_nowhere', absent: ['chg_nowhere', '__proto__', '%00', "'--"] },
  '/api/content/imports/[id]': none('imp'),
  '/api/content/media/[id]': { value: 'ast_bcdfgh', absent: ['ast_bcdfgh'] },
  '/api/content/types/[name]': { value: 'faq', absent: ['carousel', '__proto__', 'constructor', '%00'] },
  '/api/settings/mcp-servers/[id]': none('mcp'),
  '/api/settings/sites/[id]': none('wps'),
  '/api/settings/providers/[id]': { value: 'anthropic', absent: ['anthropic'] },
};

/** What no field of this name may be, on any route that has it. */
const WRONG_FIELDS: Readonly<Record<string, readonly unknown[]>> = {
  accentColor: ['red', '#12', '#gggggg', LETTERS],
  alt: [7, null, 'a\nb', LETTERS, ['x']],
  apiKey: [7, null, 'two words', 'x\ny', 'ключ', LETTERS],
  approvals: [7, null, '', 'always', 'Allow', ['allow']],
  baseUrl: ['', ' ', 7, null, 'two words', 'ftp://127.0.0.1/', 'http://user:word@127.0.0.1/', 'http://example.org/v1'],
  changeId: [undefined, 7, '', 'chg_nowhere', LETTERS, '__proto__'],
  clientRequestId: [7, null, '', LETTERS],
  code: [7, null, '', LETTERS],
  dryRun: [null, 'yes'],
  email: [7, null, '', 'words', 'a@b', 'two words@kiln.example', `${'a'.repeat(300)}@kiln.example`],
  expiresAt: [0, -1, 1.5, 1_600_000_000_000, 1e300, 'tomorrow'],
  filename: [7, null, '', '../x', 'a\\b', LETTERS],
  ifRevision: [0, -1, 1.5, '1', 999],
  image: [7, 'javascript:alert(1)', LETTERS],
  instructions: ['', '  ', 7, null, LETTERS],
  isEnabled: ['yes', null],
  isRead: [7, null, 'yes'],
  keepDays: [7.5, null, 0, -1, 3_651, '365', 1e12],
  language: [7, '', 'deutsch!', LETTERS],
  modelId: [7, '', 'nobody/nothing', 'a b', 'x\u202ey', LETTERS, {}],
  name: [7, null, '', '   ', '\u200b', LETTERS],
  next: [7, null, LETTERS],
  password: [7, null, LETTERS],
  policy: ['', 'maybe', 7, null],
  reason: [7, null, '', ' ', LETTERS],
  revision: [undefined, null, 0, -1, 1.5, '1', 999, 1e300],
  role: [7, null, '', 'owner', 'ADMIN', ['admin']],
  scopes: [[], ['root'], times(6, 'chat'), 'chat', null],
  seo: [7, null, 'x', { title: 7 }, { colour: 'red' }, { image: 'javascript:alert(1)' }],
  siteName: [7, '', null, LETTERS],
  slug: [7, '', 'Not A Slug', '../x', 'home', 'x\u202ey', LETTERS],
  strategy: ['', 'prune', 7, LETTERS, 'constructor'],
  tags: ['x', [7], [LETTERS], times(100_000, 'x')],
  title: [7, null, '', '   ', 'a\nb', 'a\u0007b', LETTERS, ['x'], { text: 'x' }],
  token: [7, null, '', LETTERS],
};

/** A new password has a length. */
const NEW_PASSWORD = each('password', 7, null, '', 'eleven char', LETTERS);
const NEW_PERSON = { name: 'Words', email: 'edith@kiln.example', password: 'long enough for us' };
const PASSKEY_ANSWER = { id: 'none', type: 'public-key', response: {} };
const PASSKEY: Given = {
  body: { answer: PASSKEY_ANSWER },
  wrong: each('answer', 7, null, 'x', {}, { ...PASSKEY_ANSWER, type: 'words' }, { ...PASSKEY_ANSWER, id: '' }),
};

const SUBMISSION = absentId('sub');
const ofSubmissions = (body: object): Given => ({
  body: { all: { text: 'Words' }, ...body },
  wrong: [
    { ids: [SUBMISSION], all: {} },
    ...each('all', { text: 7 }, { text: LETTERS }, { other: 'x' }),
    ...each('ids', 7, null, [], [7], ['sub_1'], times(101, SUBMISSION)).map((change) => ({
      all: undefined,
      ...change,
    })),
  ],
});
const SUBMISSION_QUERIES = ['text=', `text=${LETTERS.slice(0, 600)}`, 'unread=yes', 'sectionId='];
const AUDIT_TIMES = ['from=', 'from=today', 'until=-1', 'until=1.5', 'until=Infinity'];

const WRONG_TRANSCRIPTS = each(
  'messages',
  7,
  [],
  [null],
  [{}],
  times(20_001, { role: 'user', content: 'hi' }),
  [{ role: 'robot', content: 'hi' }],
  [{ role: 'user', content: 7 }],
  [{ role: 'user' }],
  [{ role: 'user', content: [{ type: 'text' }] }],
  [{ role: 'user', parts: 'hi' }],
  [{ role: 'assistant', content: [{ type: 'tool-call', toolName: 'x', input: {} }] }],
  [{ role: 'assistant', content: null, tool_calls: [{ id: '', function: { name: 'x', arguments: '{}' } }] }],
  [{ role: 'tool', content: [{ type: 'tool-result', toolCallId: LETTERS, toolName: 'x', output: 1 }] }],
);
const TRANSCRIPT: Given = {
  body: { messages: [{ role: 'user', content: 'Words' }] },
  wrong: WRONG_TRANSCRIPTS,
  bodyLimit: LARGE_BODY,
};

const FILE = `/api/attachments/${absentId('blb')}`;
const FILE_ADDRESSES = '@blob:x data:text/plain,words https://throughline.example/a.png /api/attachments/../sessions';
const WRONG_PARTS = [
  ...[undefined, '', ...FILE_ADDRESSES.split(' '), FILE, `${FILE}?x`].map((url) => [{ type: 'file', url }]),
  [...said('Look').parts, ...times(11, { type: 'file', url: FILE })],
  [],
  [{ type: 'text' }],
  [{ type: 'tool-create_content', toolCallId: 'x', state: 'output-available' }],
  times(51, { type: 'text', text: 'x' }),
  times(50, { type: 'text', text: 'x'.repeat(2_000) }),
];
const MESSAGE = [
  ...each('message', 7, null, said(''), said(' \n\t\u00a0'), said('\u200b\u2060\ufeff'), said(LETTERS)),
  { message: { role: 'assistant', parts: [{ type: 'text', text: 'I did' }] } },
  ...WRONG_PARTS.map((parts) => ({ message: { role: 'user', parts } })),
];
const MISSING_MESSAGE = { messageId: absentId('msg') };
/** A message to the conversation that this field names. */
const messageTo = (session: string): Given => ({
  body: { [session]: '{session}', message: said('Words') },
  fields: ['modelId', 'clientRequestId', 'approvals'],
  wrong: [
    ...each(session, 7, null, 'x', absentId('ses'), absentId('SES'), LETTERS, ['{session}']),
    ...MESSAGE,
    ...each('replaces', 7, null, absentId('msg'), {}, { messageId: 'msg_1' }, { messageId: LETTERS }, MISSING_MESSAGE),
    ...each(
      'replaces',
      ...[{ undoChanges: true }, { undoChanges: 'yes' }, { also: 1 }].map((more) => ({ ...MISSING_MESSAGE, ...more })),
    ),
  ],
});

const decision = { approvalId: NO_APPROVAL, approved: true };

const TOOL_SERVER = { type: 'http', url: 'http://127.0.0.1:1/mcp' };
const PROGRAM = { type: 'stdio', command: 'sh' };
const WRONG_TRANSPORTS = each(
  'transport',
  7,
  {},
  ...[
    ...each('url', '', 'words', 'file:///etc/passwd', 'ftp://127.0.0.1/', 'http://user:word@127.0.0.1/', 7),
    ...each('headers', { 'two words': 'x' }, { authorization: null }, { authorization: 'x\ny\u0000' }),
    { headers: { authorization: 'Bearer ${DATABASE_AUTH_TOKEN}' } },
    { type: 'ftp' },
    { command: 'sh' },
  ].map((change) => ({ ...TOOL_SERVER, ...change })),
  ...[...each('env', { TOKEN: '${PATH}' }, { 'A B': 'x' }, { TOKEN: null }), { args: 'x' }, { command: '' }].map(
    (change) => ({ ...PROGRAM, ...change }),
  ),
);
const CONNECT_SITE: Given = {
  // Nothing answers there.
  body: { url: 'http://127.0.0.1:1', username: 'Words', password: 'Words' },
  wrong: [
    ...each('url', '', ' ', 7, null, 'two words', LETTERS),
    ...each('url', 'ftp://example.org', 'http://example.org', 'https://a:b@example.org'),
    ...each('username', '', ' ', 7, null, 'a:b', LETTERS),
    ...each('password', '', ' '),
    { isActive: true },
  ],
};
const COSTS: Given = {
  queries: [
    ...'by= by=nothing from=yesterday from=2026-13-01 to=2026-02-31x'.split(' '),
    ...'from=2026-11-24&to=2026-11-23 from=1900-01-01&to=2026-01-01'.split(' '),
  ],
};
const SESSION_QUERIES: Given = {
  absent: [`?sessionId=${absentId('ses')}`],
  queries: ['', '7', 'ses_', LONG_QUERY].map((id) => `sessionId=${id}`),
};

const textsOf = (...texts: readonly string[]) => texts.map((text) => Buffer.from(text, 'latin1'));
/** What no picture is, and what is none for us. */
const PICTURE: Given = {
  wrongBytes: textsOf('', 'words', '%PDF-1.7', '<svg xmlns="http://www.w3.org/2000/svg"/>', '\x89PNG\r\n\x1a\n'),
  bodyLimit: 10_000_000,
};
const WRITE: Given = { queries: WRONG_WRITES };
const DATE_PAGES = ['limit=0', 'limit=101', 'limit=x', 'cursor=', 'cursor=%00', `cursor=${'x'.repeat(2_000)}`];

/** A menu of so many levels, one item on each. */
const menuOf = (levels: number): object[] => [
  { label: 'X', href: '/', ...(levels > 1 && { children: menuOf(levels - 1) }) },
];
const link = (href: string, label = 'X') => ({ label, href });
const SCRIPT = 'javascript:alert(1)';

/** Routes that take a body or a query, and those whose name does not tell all. */
const GIVEN: Readonly<Record<string, Given>> = {
  'POST /api/auth/sign-in': { body: { email: 'edith@kiln.example', password: 'Words that nobody guesses' } },
  'POST /api/auth/sign-in/code': {
    body: { code: '123456', isRecovery: false },
    wrong: each('isRecovery', 7, null, 'yes'),
  },
  'POST /api/auth/sign-in/oidc': { body: { next: '/account' }, wrong: each('isAfresh', 7, null, 'yes') },
  'POST /api/auth/sign-in/passkey': PASSKEY,
  'POST /api/auth/factors/passkeys': { ...PASSKEY, body: { name: 'Words', ...PASSKEY.body } },
  'POST /api/auth/factors/totp': { body: { password: 'Words' } },
  'DELETE /api/auth/factors/totp': { body: { password: 'Words' } },
  'POST /api/auth/factors/totp/confirm': { body: { code: '123456' } },
  'POST /api/auth/confirm': { body: { code: '123456' } },
  'POST /api/auth/sign-out': { body: { everywhere: false }, wrong: each('everywhere', 7, null, 'yes') },
  'POST /api/auth/owner': { body: { ...NEW_PERSON, code: 'Words' }, wrong: [...NEW_PASSWORD, { id: 'own_local' }] },
  'POST /api/auth/forgotten': { body: { email: 'edith@kiln.example' } },
  'POST /api/auth/new-password': { body: { token: 'Words', password: NEW_PERSON.password }, wrong: NEW_PASSWORD },
  'PATCH /api/auth/me': {
    body: { name: 'Words' },
    wrong: [
      ...each('password', 7, null, 'x', {}, { current: 'x' }, { current: '', next: NEW_PERSON.password }),
      ...each('password', { current: 'x', next: 'too short' }),
      ...each('language', 7, '', 'DE', 'tlh', 'toString', ['de']),
    ],
  },
  'POST /api/users': { body: { ...NEW_PERSON, role: 'editor' }, wrong: [...NEW_PASSWORD, { id: 'own_local' }] },
  'PATCH /api/users/[id]': {
    body: { name: 'Words' },
    fields: ['role'],
    wrong: [...each('banned', 7, 'yes', null), ...each('secondFactor', 7, null, 'keep'), ...NEW_PASSWORD],
  },
  'GET /api/personal-data': {
    path: '/api/personal-data?email=nobody@kiln.example',
    queries: ['email=words', 'email=', 'other=1'],
  },
  'POST /api/personal-data/erase': { body: { email: 'nobody@kiln.example', dryRun: true } },
  'GET /api/submissions': { queries: [...pages(100), ...SUBMISSION_QUERIES] },
  'PATCH /api/submissions': ofSubmissions({ isRead: true }),
  'DELETE /api/submissions': ofSubmissions({}),
  'PATCH /api/submissions/overview': { body: { keepDays: 365 } },
  'GET /api/submissions/export': { queries: SUBMISSION_QUERIES },
  'GET /api/admin/audit': {
    queries: [...pages(200), 'action=', 'action=SIGN-IN', 'action=constructor', 'userId=', ...AUDIT_TIMES],
  },
  'GET /api/admin/audit/export': {
    queries: ['action=SIGN-IN', 'userId=', ...AUDIT_TIMES, 'format=', 'format=CSV'],
  },
  'POST /api/oauth/consent': {
    body: { query: 'client_id=none', userId: 'nobody', isAllowed: false },
    wrong: [
      ...each('query', 7, null, 'client_id=none', 'x'.repeat(8_001)),
      ...each('isAllowed', 7, null, 'yes'),
      ...each('userId', 7, null, 'x'.repeat(101)),
      ...each('mayPublish', 7, null, 'yes'),
    ],
  },
  'GET /api/keys': { queries: ['all=', 'all=2', 'all=true'] },
  'POST /api/keys': { body: { name: 'Words', scopes: ['chat'], expiresAt: null } },
  'POST /api/call-requests/[id]': {
    body: { approved: false, reason: 'Words' },
    wrong: each('approved', 7, null, 'yes', undefined),
  },

  'GET /api/sessions': { queries: [...pages(200), `q=${LONG_QUERY}`] },
  'POST /api/sessions': { body: {}, fields: ['title', 'modelId'] },
  'PATCH /api/sessions/[id]': { body: { title: 'Words' }, fields: ['modelId'], wrong: each('title', undefined) },
  'GET /api/sessions/[id]/messages': {
    queries: [
      ...pages(1_000),
      ...WRONG_CURSORS.map((query) => `${query}&format=ui`),
      ...'summaries=2 summaries=true format=xml superseded=2 superseded=1&format=ui'.split(' '),
      ...[absentId('msg'), `${absentId('msg')}&format=rich`].map((id) => `supersededBy=${id}`),
      ...['', 'msg_1', LONG_QUERY].map((id) => `supersededBy=${id}&format=ui`),
    ],
  },
  'POST /api/sessions/[id]/import': { ...TRANSCRIPT, wrong: [...WRONG_TRANSCRIPTS, { messages: undefined }] },
  'GET /api/sessions/[id]/export': { queries: ['format=', 'format=html', 'format=JSON'] },
  'POST /api/sessions/[id]/attachments': {
    wrongBytes: [...textsOf('', 'a\0b', '%PDF-1.7'), Buffer.alloc(200_001, 'a')],
    queries: ['filename=', `filename=${LETTERS.slice(0, 300)}`],
    bodyLimit: 5_000_000,
  },
  'GET /api/sessions/[id]/context': { queries: WRONG_MODELS },
  'GET /api/sessions/[id]/context/request': { queries: WRONG_MODELS },
  'GET /api/sessions/[id]/context/messages': { queries: WRONG_MODELS },
  'POST /api/sessions/[id]/prepare': { ...TRANSCRIPT, fields: ['modelId'] },
  'GET /api/sessions/[id]/search': {
    absent: ['?q=words'],
    queries: ['', 'q=', ...WRONG_LIMITS.map((limit) => `q=words&${limit}`), `q=${LONG_QUERY}`],
  },
  'GET /api/search': { queries: ['', 'q=', ...pages(50).map((wrong) => `q=words&${wrong}`), `q=${LONG_QUERY}`] },
  'GET /api/sessions/[id]/thread': { queries: [...WRONG_LIMITS, 'limit=2001', 'cursor=', 'cursor=x'] },
  'GET /api/sessions/[id]/events': { queries: [...WRONG_EVENT_IDS, 'snapshot=', 'snapshot=true', 'snapshot=2'] },
  'GET /api/admin/sessions': {
    queries: [
      ...pages(200),
      `q=${LONG_QUERY}`,
      ...['', 'busy', 'IDLE', 'idle,failed'].map((state) => `state=${state}`),
    ],
  },
  'GET /api/admin/events': { queries: WRONG_EVENT_IDS },
  'POST /api/sessions/[id]/compact': { body: {}, fields: ['strategy', 'instructions'], wrong: each('strategy', null) },
  'POST /api/chat': { ...messageTo('id'), bodyLimit: 16_000_000 },
  'GET /api/message/queue': { isOfSession: true },
  'POST /api/message/queue': messageTo('sessionId'),
  'DELETE /api/message/queue': { isOfSession: true },
  'POST /api/message/queue/send': { isOfSession: true },
  'PATCH /api/message/queue/[id]': { body: { message: said('Words') }, wrong: MESSAGE },
  'POST /api/sessions/[id]/approvals': {
    body: { decisions: [{ ...decision, reason: 'Words' }] },
    wrong: each(
      'decisions',
      undefined,
      [],
      [{}],
      [decision],
      times(2, decision),
      times(20_000, decision),
      ...['call_1', '', LETTERS].map((approvalId) => [{ approvalId, approved: true }]),
      ...[
        { approved: undefined },
        { approved: 'yes' },
        { input: { slug: 'home' } },
        { approved: false, reason: '' },
        { approved: false, reason: LETTERS },
      ].map((change) => [{ ...decision, ...change }]),
    ),
  },

  'POST /api/settings/mail/test': { body: { email: 'edith@kiln.example' } },
  'PATCH /api/settings': {
    body: { strategy: 'ledger' },
    wrong: [
      { nothing: 1 },
      ...each('pruneProtect', -1, '40000'),
      { usableShare: 0.5 },
      ...each('engineOverrides', { usableShare: 0.95 }, { usableShare: 0.95, realTimeShare: 0.5 }, [0.5]),
      { exemptTools: [] },
      ...['defaultModel', 'compactionModel', 'pruningAgentModel'].flatMap((name) =>
        each(name, '', 7, 'nobody/nothing', 'a b', LETTERS),
      ),
      { maxSteps: 0 },
      { toolOutputChars: { get_content: 1 } },
      { toolPolicies: { get_content: 'maybe' } },
    ],
  },
  'POST /api/settings/sites': CONNECT_SITE,
  'POST /api/settings/sites/test': CONNECT_SITE,
  'POST /api/settings/sites/active': {
    body: { siteId: 'embedded' },
    wrong: each('siteId', '', 7, null, 'other', absentId('wps'), absentId('mcp')),
  },
  'PATCH /api/settings/sites/[id]': {
    body: { username: 'Words' },
    wrong: [{ username: 'a:b' }, { password: '' }, { url: 'https://example.org' }],
  },
  'POST /api/settings/mcp-servers': {
    body: { name: 'everything', transport: TOOL_SERVER },
    fields: ['policy', 'isEnabled'],
    wrong: [...each('name', 'a__b', 'A', '-a', 'a-', 'a b', 'x'.repeat(25)), ...WRONG_TRANSPORTS],
  },
  'PATCH /api/settings/mcp-servers/[id]': {
    body: { isEnabled: false },
    fields: ['policy'],
    wrong: [{ name: 'A' }, ...WRONG_TRANSPORTS],
  },
  'POST /api/settings/mcp-servers/[id]/test': { wrong: WRONG_TRANSPORTS },
  'POST /api/settings/mcp-servers/[id]/sign-in/answer': {
    body: { state: 'Words', code: 'Words' },
    wrong: [{ state: '' }, { state: null }, { iss: 7 }, { error: '<b>' }, { more: 'Words' }],
  },
  'POST /api/settings/mcp-servers/test': { body: { transport: TOOL_SERVER }, wrong: WRONG_TRANSPORTS },
  'GET /api/models': SESSION_QUERIES,
  'GET /api/budgets': SESSION_QUERIES,
  'GET /api/admin/costs': COSTS,
  'GET /api/admin/costs/csv': COSTS,
  'DELETE /api/settings/learned-windows': {
    path: '/api/settings/learned-windows?modelId=local/m',
    malformed: ['', '?modelId=', `?modelId=${'m'.repeat(201)}`, '?id=local/m'].map(
      (query) => `/api/settings/learned-windows${query}`,
    ),
  },
  'PUT /api/settings/providers/[id]': {
    path: '/api/settings/providers/openai-compatible',
    absent: [],
    body: { baseUrl: 'http://127.0.0.1:1/v1' },
    fields: ['apiKey'],
    wrong: [...each('modelId', '', 7, LETTERS), { anyway: 'yes' }, { provider: 'openrouter' }],
  },
  'POST /api/settings/providers/[id]/test': { path: '/api/settings/providers/built-in/test', absent: [] },

  'GET /api/content/[collection]': {
    queries: [
      ...WRONG_LIMITS,
      ...'limit=101 status=gone state=gone sort=size order=up select=secret select= parent='.split(' '),
      ...'text= search= author= updatedFrom=yesterday updatedBefore=-1 cursor= cursor=bm9uZQ'.split(' '),
      'tag=',
      `tag=${LONG_QUERY}`,
    ],
  },
  'POST /api/content/[collection]': {
    malformed: [],
    body: { title: 'Words' },
    fields: ['slug', 'image', 'seo', 'tags'],
    wrong: [
      { title: undefined },
      ...['excerpt', 'author'].flatMap((name) => each(name, 7, LETTERS)),
      ...each('parent', 7, null, '', 'pag_nowhere', LETTERS),
      ...each(
        'sections',
        'x',
        [7],
        [{ type: 'carousel' }],
        [{ type: '__proto__' }],
        times(100_000, { type: 'posts-list' }),
      ),
      ...[{ heading: LETTERS }, { heading: 7 }, { heading: 'x', unknown: 'x' }, { constructor: 'x' }].map((fields) => ({
        sections: [{ type: 'hero', fields }],
      })),
    ],
  },
  'PATCH /api/content/[collection]/[ref]': {
    body: { title: 'Words' },
    fields: ['ifRevision'],
    wrong: [
      { title: undefined },
      ...each('slug', 7, '', 'home', LETTERS),
      ...each('expects', 7, [7], [{}], [{ sectionId: null, field: 'title' }]),
      ...each(
        'expects',
        [{ sectionId: '', field: null, value: 1 }],
        [{ sectionId: null, field: 'title', value: 'Another title' }],
      ),
      ...each('joins', 7, '', LETTERS),
      ...each(
        'operations',
        7,
        [{ op: 'explode' }],
        [{ op: 'set', field: 'title', value: { x: 1 } }],
        [{ op: 'set', field: 'constructor', value: 'x' }],
        [{ op: 'move-section', sectionId: 'sec_nowhere', index: 0 }],
        [{ op: 'remove-section', sectionId: LETTERS }],
        [{ op: 'insert-section', section: { type: 'hero', fields: { heading: LETTERS } } }],
        times(201, { op: 'unset', field: 'excerpt' }),
        times(20_000, { op: 'unset', field: 'excerpt' }),
      ),
    ],
  },
  [`DELETE ${ENTRY}`]: WRITE,
  [`POST ${ENTRY}/publish`]: WRITE,
  [`POST ${ENTRY}/unpublish`]: WRITE,
  [`POST ${ENTRY}/discard`]: WRITE,
  [`POST ${ENTRY}/untrash`]: WRITE,
  [`POST ${ENTRY}/schedule`]: {
    ...WRITE,
    body: { publishAt: null },
    wrong: [
      ...each('publishAt', undefined, 0, -1, 1.5, 1e300, 1e15, '', 'soon', [], {}),
      ...each('publishAt', '2027-01-05', '2027-01-05T09:00', '2001-01-05T09:00:00Z'),
      { ifRevision: 0 },
      { at: 1 },
    ],
  },
  [`POST ${ENTRY}/preview-links`]: {
    body: { days: 7 },
    wrong: [...each('days', 0, -1, 2, 1.5, 31, 1e300, '7', '', null, [], {}), { at: 1 }],
  },
  [`PATCH ${ENTRY}/comments/[comment]`]: {
    body: { resolved: true },
    wrong: each('resolved', undefined, null, 1, 'yes'),
  },
  [`GET ${ENTRY}/differences`]: { queries: ['from=0', 'from=x', 'to=1.5', 'to='] },
  [`GET ${ENTRY}/revisions`]: { queries: WRONG_LIMITS },
  [`POST ${ENTRY}/restore`]: { body: { revision: 1 } },
  'GET /api/content/export': { queries: ['media=', 'media=yes', 'trashed=0'] },
  'GET /api/content/imports': { queries: ['site=', 'site=wps_1', 'site=../x'] },
  'GET /api/content/site-files': {
    queries: ['', 'url=', 'url=kiln.example', 'url=ftp://kiln.example', 'url=https://kiln.example/site', 'check=0'],
  },
  'POST /api/content/imports': {
    queries: [
      ...'dryRun= dryRun=true site= site=elsewhere approve=yes pictures=2 settings='.split(' '),
      `filename=${LETTERS.slice(0, 300)}`,
    ],
    wrongBytes: textsOf('', 'Words', '<rss>', '{"format":', 'PK\u0003\u0004', '\u00ff\u00fe<'),
    bodyLimit: LARGE_BODY,
  },
  'GET /api/content/media': {
    queries: [
      ...pages(100),
      'missingAlt=',
      'missingAlt=yes',
      'unused=yes',
      'state=gone',
      'tag=',
      'q=',
      `q=${LONG_QUERY}`,
    ],
  },
  'POST /api/content/media': PICTURE,
  'POST /api/content/media/from-address': {
    body: { url: 'http://127.0.0.1/kiln.png' },
    wrong: each('url', 7, null, '', 'kiln.png', 'file:///etc/passwd', 'http://', LETTERS),
  },
  'PATCH /api/content/media/[id]': {
    body: { alt: 'Words' },
    fields: ['filename', 'tags'],
    wrong: [{ alt: undefined }, { tags: [''] }],
  },
  'POST /api/content/media/[id]/replace': { ...PICTURE, absent: [], queries: [`filename=${LETTERS.slice(0, 300)}`] },
  'GET /api/content/media/[id]/file': { queries: ['size=huge', 'size='] },
  'PUT /api/content/navigation': {
    body: { items: [link('/', 'Words')] },
    wrong: each(
      'items',
      undefined,
      [{ label: 'X' }],
      [link('/', '')],
      [link('/', LETTERS)],
      [link(SCRIPT)],
      [link(`/${LETTERS}`)],
      menuOf(MAX_NAVIGATION_LEVELS + 1),
      times(20_000, link('/')),
    ),
  },
  'PATCH /api/content/design': {
    body: { palette: { brand: '#4f6f52' } },
    wrong: [
      ...each('palette', 7, null, 'red', { brand: 'red' }, { ink: '#fafafa', paper: '#ffffff' }, { sky: '#0000ff' }),
      ...['fonts', 'corners', 'appearance'].flatMap((name) => each(name, 7, 'comic-sans', LETTERS)),
      { header: { kind: 'row', isSticky: 'yes' } },
      { logo: { light: SCRIPT } },
      { footer: { columns: times(20_000, { title: '', links: [] }) } },
      { footer: { columns: [{ title: LETTERS, links: [] }] } },
      { footer: { columns: [{ title: '', links: [link(SCRIPT)] }] } },
    ],
  },
  'PATCH /api/content/settings': {
    body: { siteName: 'Words' },
    fields: ['accentColor', 'language'],
    wrong: [
      { siteName: undefined },
      ...['tagline', 'footerText', 'homeSlug'].flatMap((name) => each(name, 7, LETTERS)),
      ...each('contactEmail', 'nobody', LETTERS),
    ],
  },
  'GET /api/content/planned': { queries: DATE_PAGES },
  'GET /api/content/at': {
    malformed: ['', '?path=', `?path=/${LONG_QUERY}`].map((query) => `/api/content/at${query}`),
    queries: ['path=pricing', `path=/${'x'.repeat(2_000)}`],
  },
  'POST /api/content/presence': {
    body: { windowId: '5b0e9c9e-2f0a-4a63-9d2b-3f1f0d2b7a11', entryId: 'pag_nowhere', place: null },
    wrong: [
      ...each('windowId', undefined, 7, '', LETTERS, '__proto__'),
      ...each('entryId', undefined, 7, '', 'nowhere', `pag_${LETTERS}`),
      ...each('place', 7, {}, { sectionId: null }, { sectionId: '', field: 'x' }, { sectionId: null, field: LETTERS }),
      { leaves: 'yes' },
      { more: 1 },
    ],
  },
  'GET /api/content/trash': { queries: ['kind=pages', ...DATE_PAGES] },
  'PUT /api/content/standing-instructions': {
    body: { voice: 'Words', rules: ['Words'] },
    wrong: [
      ...each('voice', 7, null, LETTERS, ['x']),
      ...each('rules', 'x', [''], [7], ['a', 'A'], [LETTERS], times(1_000, 'x'), times(20_000, 7)),
      ...each(
        'glossary',
        [{ term: 'x' }],
        [{ term: '', meaning: 'x' }],
        [{ term: 'x', meaning: LETTERS }],
        times(20_000, {}),
      ),
      { ifRevision: 7 },
    ],
  },
  'GET /api/content/changes': {
    queries: [
      ...WRONG_LIMITS,
      ...'limit=101 targetType=carousel actor=nobody before= before=x cursor=x sessionId='.split(' '),
      'cursor=chg_bcdfgh&before=chg_bcdfgh',
      ...['cursor', 'before', 'after'].map((name) => `${name}=chg_nonsense`),
      `targetId=${LONG_QUERY}`,
    ],
  },
  'POST /api/content/bring-back': {
    body: { changeId: 'chg_nowhere', sessionId: 'ses_x' },
    wrong: [
      ...each('sessionId', undefined, 7, '', LETTERS),
      ...each('targetId', 7, '', LETTERS),
      ...each('path', 7, '', 'pricing', LETTERS),
      { overOthers: 'yes' },
      { dryRun: 'yes' },
      { also: 1 },
    ],
  },
  'POST /api/content/replace': {
    body: { find: 'kiln', replace: 'oven', entries: [{ id: 'pag_nowhere' }] },
    wrong: [
      ...each('find', undefined, 7, '', LETTERS, 'oven'),
      ...each('replace', undefined, 7, null, LETTERS),
      ...each('entries', 'x', [], [7], ['pag_nowhere'], [{}], [{ id: '' }], times(101, { id: 'pag_x' })),
      { wholeWords: 'yes' },
      { anyCase: 1 },
    ],
  },
  'POST /api/content/start': {
    body: { kit: 'cafe', siteName: 'Kiln' },
    wrong: [
      ...each('kit', undefined, 7, '', 'erase', '__proto__'),
      ...['what', 'audience', 'action'].flatMap((name) => each(name, 7, '', LETTERS)),
      ...each('language', 7, LETTERS),
      ...each('step', -1, 1.5, '0', 21),
      { also: 1 },
    ],
  },
  'POST /api/content/batch': {
    body: { action: 'publish', ids: ['pag_nowhere'] },
    wrong: [
      ...each('action', undefined, 7, '', 'erase', '__proto__', 'tag'),
      ...each('ids', undefined, 7, 'pag_nowhere', [], [7], [''], ['pag_a', 'pag_a'], times(51, 'pag_x')),
      { add: ['winter'] },
      ...each('add', 'winter', [7], [''], times(21, 'winter'), [LETTERS]).map((add) => ({ action: 'tag', ...add })),
      { dryRun: true },
    ],
  },
  'POST /api/content/undo': {
    body: { changeId: 'chg_nowhere' },
    wrong: [
      { dryRun: 'yes' },
      { all: true },
      ...[
        ...each('all', false, 'yes', 1),
        ...each('turnIds', 'x', [], [7], [''], times(1_001, 'trn_x')).map((turnIds) => ({ all: true, ...turnIds })),
        { turnIds: ['trn_x'] },
      ].map((change) => ({ changeId: undefined, sessionId: 'ses_x', ...change })),
    ],
  },
};

/** The address of a route, with its parameters filled in. */
function addressOf(pattern: string, replaced: Readonly<Record<string, string>> = {}): string {
  return pattern.replaceAll(/\[\w+\]/g, (parameter, at: number) => {
    const key = pattern.slice(0, at + parameter.length);
    return replaced[key] ?? PARAMETERS[key]?.value ?? parameter;
  });
}

function rowOf(name: string): RouteRow {
  const { fields = [], isOfSession, ...given } = GIVEN[name] ?? {};
  const [, pattern = ''] = name.split(' ');
  const keys = Object.keys(PARAMETERS).filter((key) => pattern === key || pattern.startsWith(`${key}/`));
  const last = keys.toSorted((a, b) => a.length - b.length).at(-1);
  // The entry exists as a page, not as a post: 404.
  const otherCollection = pattern.startsWith(ENTRY)
    ? [addressOf(pattern, { '/api/content/[collection]': 'posts' })]
    : [];
  const absent = [
    ...otherCollection,
    ...keys.flatMap((key) => (PARAMETERS[key]?.absent ?? []).map((id) => addressOf(pattern, { [key]: id }))),
  ];
  const malformed = last === undefined ? [] : MALFORMED_IDS.map((id) => addressOf(pattern, { [last]: id }));
  const path = addressOf(pattern);
  const named = [...Object.keys(given.body ?? {}), ...fields].flatMap((field) =>
    each(field, ...(WRONG_FIELDS[field] ?? [])),
  );
  const of = (id: string) => `${path}?sessionId=${id}`;
  return {
    path,
    malformed,
    ...given,
    // A query alone belongs to the address of what is absent.
    absent:
      given.absent?.flatMap((query) => (absent.length === 0 ? [path] : absent).map((address) => address + query)) ??
      absent,
    wrong: [...named, ...(given.wrong ?? [])],
    ...(isOfSession && {
      path: of('{session}'),
      absent: [of(absentId('ses'))],
      malformed: [...MALFORMED_IDS.map(of), path],
    }),
  };
}

const isOfApi = (name: string) => name.includes(' /api/') && !name.endsWith(' /api/[...path]');

/** Every route of the API, as `METHOD /path`, with what it must refuse. */
export const REFUSALS: Readonly<Record<string, RouteRow>> = Object.fromEntries(
  [...Object.keys(ACCESS).filter(isOfApi), ...Object.keys(GIVEN)].map((name) => [name, rowOf(name)]),
);
