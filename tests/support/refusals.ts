import { LETTERS } from '#tests/support/bad-bodies';

const ABSENT_SESSION = 'ses_01h0000000000000000000000a';
const ABSENT_QUEUED = 'que_01h0000000000000000000000a';
const ABSENT_COMPACTION = 'cmp_01h0000000000000000000000a';
const LARGE_BODY = 32_000_000;

/** A user message as the chat sends it. */
export const said = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] });
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

/** What a route is given to refuse. `{session}` in a path or body is the session of this file. */
export interface RouteRow {
  /** A path where everything is right; what is wrong comes in addition. */
  readonly path: string;
  /** The same path naming what is not there: 404. */
  readonly absent?: readonly string[];
  /** The same path with ids that cannot be: 400 or 404. */
  readonly malformed?: readonly string[];
  /** A body the route would accept; the text `Words` in it is free text. */
  readonly body?: object;
  /** Changes of that body that make it wrong: 400, 404, 409, 413 or 422. */
  readonly wrong?: readonly object[];
  /** Bytes. */
  readonly bodyLimit?: number;
  /** Query strings: 400. */
  readonly queries?: readonly string[];
  readonly isPublic?: boolean;
}

const MALFORMED_IDS = [
  '7',
  'ses_',
  '__proto__',
  'ses_01H0000000000000000000000A',
  '%00',
  '%ff',
  '%E0%A4%A',
  '..%2f..',
  "'--",
  LETTERS.slice(0, 9_000),
];
const session = (rest: string): Pick<RouteRow, 'path' | 'absent' | 'malformed'> => ({
  path: `/api/sessions/{session}${rest}`,
  absent: [`/api/sessions/${ABSENT_SESSION}${rest}`],
  malformed: MALFORMED_IDS.map((id) => `/api/sessions/${id}${rest}`),
});
const entry = (rest: string): Pick<RouteRow, 'path' | 'absent' | 'malformed'> => ({
  path: `/api/content/pages/workshops${rest}`,
  absent: ['constructor', '__proto__', 'nowhere', '%00', "'--", 'x'.repeat(900)]
    .map((ref) => `/api/content/pages/${ref}${rest}`)
    .concat(`/api/content/media/workshops${rest}`, `/api/content/posts/workshops${rest}`),
  malformed: [`/api/content/pages/${LETTERS.slice(0, 9_000)}${rest}`],
});

const WRONG_TITLES = [7, null, '', '   ', '\u200b\u2060', 'a\nb', 'a\u0007b', LETTERS, ['x'], { text: 'x' }].map(
  (title) => ({ title }),
);
const WRONG_MODELS = [7, '', 'nobody/nothing', 'a b', 'x\u202ey', LETTERS, {}].map((modelId) => ({ modelId }));
const WRONG_MODEL_QUERIES = [
  'modelId=',
  'modelId=nobody/nothing',
  'modelId=a%20b',
  `modelId=${LETTERS.slice(0, 9_000)}`,
];
const WRONG_LIMITS = [
  'limit=0',
  'limit=-1',
  'limit=NaN',
  'limit=1.5',
  'limit=',
  'limit=1e9',
  'limit=ten',
  'limit=Infinity',
];
const WRONG_CURSORS = ['', 'x', '%00', 'bnVsbA', 'e30', 'W10', 'WzEse31d', LETTERS.slice(0, 9_000)].map(
  (cursor) => `cursor=${cursor}`,
);
const WRONG_TRANSCRIPTS = [
  7,
  {},
  [],
  [7],
  [null],
  [[]],
  [{}],
  times(20_001, { role: 'user', content: 'hi' }),
  times(100_000, 7),
  [{ role: 'robot', content: 'hi' }],
  [{ role: 'user', content: 7 }],
  [{ role: 'user' }],
  [
    { role: 'user', content: 'hi' },
    { role: 'user', parts: [{ type: 'text', text: 'hi' }] },
  ],
  [{ role: 'user', content: [{ type: 'text' }] }],
  [{ role: 'user', parts: 'hi' }],
  [{ role: 'assistant', content: [{ type: 'tool-call', toolName: 'x', input: {} }] }],
  [{ role: 'assistant', content: null, tool_calls: [{ id: '', function: { name: 'x', arguments: '{}' } }] }],
  [{ role: 'tool', content: [{ type: 'tool-result', toolCallId: LETTERS, toolName: 'x', output: 1 }] }],
].map((messages) => ({ messages }));

const WRONG_MESSAGES = [
  7,
  null,
  'List the pages',
  { role: 'assistant', parts: [{ type: 'text', text: 'I did' }] },
  { role: 'user', parts: [] },
  { role: 'user', parts: [{ type: 'text' }] },
  { role: 'user', parts: [{ type: 'tool-create_content', toolCallId: 'x', state: 'output-available' }] },
  { role: 'user', parts: times(51, { type: 'text', text: 'x' }) },
  { role: 'user', parts: times(100_000, 7) },
  said(''),
  said(' \n\t\u00a0'),
  said('\u200b\u2060\ufeff'),
  said(LETTERS),
  { role: 'user', parts: times(50, { type: 'text', text: 'x'.repeat(2_000) }) },
].map((message) => ({ message }));

const WRONG_SESSIONS = [7, null, 'x', ABSENT_SESSION, ABSENT_SESSION.toUpperCase(), LETTERS, ['{session}']];
/** Routes that name the session in their query; all of a path are tried at the same address. */
const ofQueue = (rest: string): Pick<RouteRow, 'path' | 'absent' | 'malformed'> => ({
  path: `/api/message/queue${rest}?sessionId={session}`,
  absent: [`/api/message/queue${rest}?sessionId=${ABSENT_SESSION}`],
  malformed: MALFORMED_IDS.map((id) => `/api/message/queue${rest}?sessionId=${id}`).concat(`/api/message/queue${rest}`),
});
const queued = (rest: string): Pick<RouteRow, 'path' | 'absent' | 'malformed'> => ({
  path: `/api/message/queue/${ABSENT_QUEUED}${rest}`,
  absent: [`/api/message/queue/${ABSENT_QUEUED}${rest}`],
  malformed: MALFORMED_IDS.map((id) => `/api/message/queue/${id}${rest}`),
});

/** Every route of the app, as `METHOD /path`, with what it must refuse. */
export const REFUSALS: Readonly<Record<string, RouteRow>> = {
  'GET /api/health': { path: '/api/health', isPublic: true },
  'GET /api/models': { path: '/api/models' },
  'GET /api/sessions': {
    path: '/api/sessions',
    queries: [...WRONG_LIMITS, 'limit=201', ...WRONG_CURSORS, `q=${LETTERS.slice(0, 9_000)}`],
  },
  'POST /api/sessions': { path: '/api/sessions', body: {}, wrong: [...WRONG_TITLES, ...WRONG_MODELS] },
  'GET /api/sessions/[id]': session(''),
  'PATCH /api/sessions/[id]': {
    ...session(''),
    body: { title: 'Words' },
    wrong: [...WRONG_TITLES, ...WRONG_MODELS, { title: undefined }],
  },
  'DELETE /api/sessions/[id]': session(''),
  'GET /api/sessions/[id]/messages': {
    ...session('/messages'),
    queries: [...WRONG_LIMITS, 'limit=1001', ...WRONG_CURSORS, 'summaries=2', 'summaries=true', 'format=xml'],
  },
  'POST /api/sessions/[id]/import': {
    ...session('/import'),
    body: { messages: [{ role: 'user', content: 'Words' }] },
    wrong: [{ messages: undefined }, ...WRONG_TRANSCRIPTS],
    bodyLimit: LARGE_BODY,
  },
  'GET /api/sessions/[id]/context': { ...session('/context'), queries: WRONG_MODEL_QUERIES },
  'GET /api/sessions/[id]/context/messages': { ...session('/context/messages'), queries: WRONG_MODEL_QUERIES },
  'POST /api/sessions/[id]/prepare': {
    ...session('/prepare'),
    body: { messages: [{ role: 'user', content: 'Words' }] },
    wrong: [...WRONG_TRANSCRIPTS, ...WRONG_MODELS],
    bodyLimit: LARGE_BODY,
  },
  'POST /api/sessions/[id]/compact/cancel': session('/compact/cancel'),
  'POST /api/sessions/[id]/compactions/[compactionId]/undo': {
    path: `/api/sessions/{session}/compactions/${ABSENT_COMPACTION}/undo`,
    absent: [
      `/api/sessions/{session}/compactions/${ABSENT_COMPACTION}/undo`,
      `/api/sessions/${ABSENT_SESSION}/compactions/${ABSENT_COMPACTION}/undo`,
    ],
    malformed: MALFORMED_IDS.map((id) => `/api/sessions/{session}/compactions/${id}/undo`),
  },
  'GET /api/sessions/[id]/search': {
    ...session('/search'),
    absent: [`/api/sessions/${ABSENT_SESSION}/search?q=words`],
    queries: ['', 'q=', ...WRONG_LIMITS.map((limit) => `q=words&${limit}`), `q=${LETTERS.slice(0, 9_000)}`],
  },
  'GET /api/sessions/[id]/events': {
    ...session('/events'),
    queries: ['', '-1', '1.5', '1e3', 'x', '9'.repeat(16), LETTERS.slice(0, 9_000)].map((id) => `lastEventId=${id}`),
  },
  'GET /api/settings': { path: '/api/settings' },
  'PATCH /api/settings': {
    path: '/api/settings',
    body: { strategy: 'ledger' },
    wrong: [
      { strategy: 'Words' },
      { strategy: 7 },
      { nothing: 1 },
      { pruneProtect: -1 },
      { pruneProtect: '40000' },
      { usableShare: 0.95, realTimeShare: 0.5 },
      { exemptTools: [] },
    ],
  },
  'POST /api/sessions/[id]/compact': {
    ...session('/compact'),
    body: {},
    wrong: [
      ...['', 'prune', 7, null, LETTERS, 'constructor'].map((strategy) => ({ strategy })),
      ...['', '  ', 7, null, LETTERS].map((instructions) => ({ instructions })),
    ],
  },
  'POST /api/sessions/[id]/prune': session('/prune'),
  'POST /api/chat': {
    path: '/api/chat',
    body: { id: '{session}', message: said('Words') },
    wrong: [
      ...WRONG_SESSIONS.map((id) => ({ id })),
      ...WRONG_MODELS,
      ...[7, null, '', LETTERS].map((clientRequestId) => ({ clientRequestId })),
      ...WRONG_MESSAGES,
    ],
  },
  'GET /api/chat/[id]/stream': {
    path: '/api/chat/{session}/stream',
    absent: [`/api/chat/${ABSENT_SESSION}/stream`],
    malformed: MALFORMED_IDS.map((id) => `/api/chat/${id}/stream`),
  },
  'POST /api/chat/[id]/cancel': {
    path: '/api/chat/{session}/cancel',
    absent: [`/api/chat/${ABSENT_SESSION}/cancel`],
    malformed: MALFORMED_IDS.map((id) => `/api/chat/${id}/cancel`),
  },
  'GET /api/message/queue': ofQueue(''),
  'POST /api/message/queue': {
    path: ofQueue('').path,
    body: { sessionId: '{session}', message: said('Words') },
    wrong: [
      ...WRONG_SESSIONS.map((sessionId) => ({ sessionId })),
      ...WRONG_MODELS,
      ...[7, null, '', LETTERS].map((clientRequestId) => ({ clientRequestId })),
      ...WRONG_MESSAGES,
    ],
  },
  'DELETE /api/message/queue': ofQueue(''),
  'POST /api/message/queue/send': ofQueue('/send'),
  'PATCH /api/message/queue/[id]': { ...queued(''), body: { message: said('Words') }, wrong: WRONG_MESSAGES },
  'DELETE /api/message/queue/[id]': queued(''),
  'POST /api/message/queue/[id]/send': queued('/send'),
  'GET /api/sessions/[id]/approvals': session('/approvals'),
  'POST /api/sessions/[id]/approvals': {
    ...session('/approvals'),
    body: { decisions: [{ toolCallId: 'call_nowhere', approved: true, reason: 'Words' }] },
    wrong: [
      7,
      undefined,
      [],
      [7],
      [{}],
      [{ toolCallId: 'call_nowhere', approved: true }],
      [{ toolCallId: 'call_nowhere' }],
      [{ toolCallId: '', approved: true }],
      [{ toolCallId: LETTERS, approved: true }],
      [{ toolCallId: 'call_nowhere', approved: 'yes' }],
      [{ toolCallId: 'call_nowhere', approved: true, input: { slug: 'home' } }],
      [{ toolCallId: 'call_nowhere', approved: false, reason: '' }],
      [{ toolCallId: 'call_nowhere', approved: false, reason: LETTERS }],
      times(2, { toolCallId: 'call_nowhere', approved: true }),
      times(20_000, { toolCallId: 'call_nowhere', approved: true }),
    ].map((decisions) => ({ decisions })),
  },
  'GET /api/content/[collection]': {
    path: '/api/content/pages',
    absent: ['/api/content/media', '/api/content/__proto__', '/api/content/constructor'],
    queries: [
      ...WRONG_LIMITS,
      'limit=101',
      'offset=-1',
      'offset=NaN',
      'status=gone',
      'tag=',
      `tag=${LETTERS.slice(0, 9_000)}`,
    ],
  },
  'POST /api/content/[collection]': {
    path: '/api/content/pages',
    absent: ['/api/content/media', '/api/content/toString'],
    body: { title: 'Words' },
    wrong: [
      { title: undefined },
      ...[7, null, '', '   ', 'a\nb', 'a\u0007b', LETTERS, ['x']].map((title) => ({ title })),
      ...[7, '', 'Not A Slug', '../x', 'home', 'x\u202ey', LETTERS].map((slug) => ({ slug })),
      ...[7, LETTERS].flatMap((text) => [{ excerpt: text }, { author: text }, { image: text }]),
      { image: 'javascript:alert(1)' },
      ...['x', [7], [LETTERS], times(100_000, 'x')].map((tags) => ({ tags })),
      ...[
        'x',
        [7],
        [{ type: 'carousel' }],
        [{ type: '__proto__' }],
        [{ type: 'hero', fields: { heading: LETTERS } }],
        [{ type: 'hero', fields: { heading: 7 } }],
        [{ type: 'hero', fields: { heading: 'x', unknown: 'x' } }],
        [{ type: 'hero', fields: { constructor: 'x' } }],
        times(100_000, { type: 'posts-list' }),
      ].map((sections) => ({ sections })),
    ],
  },
  'GET /api/content/[collection]/[ref]': entry(''),
  'PATCH /api/content/[collection]/[ref]': {
    ...entry(''),
    body: { title: 'Words' },
    wrong: [
      { title: undefined },
      ...[7, null, '', LETTERS].map((title) => ({ title })),
      ...[7, '', 'home', LETTERS].map((slug) => ({ slug })),
      ...[0, -1, 1.5, '1', 999].map((ifRevision) => ({ ifRevision })),
      ...[
        7,
        [{ op: 'explode' }],
        [{ op: 'set', field: 'title', value: { x: 1 } }],
        [{ op: 'set', field: 'constructor', value: 'x' }],
        [{ op: 'move-section', sectionId: 'sec_nowhere', index: 0 }],
        [{ op: 'remove-section', sectionId: LETTERS }],
        [{ op: 'insert-section', section: { type: 'hero', fields: { heading: LETTERS } } }],
        times(201, { op: 'unset', field: 'excerpt' }),
        times(20_000, { op: 'unset', field: 'excerpt' }),
      ].map((operations) => ({ operations })),
    ],
  },
  'DELETE /api/content/[collection]/[ref]': entry(''),
  'POST /api/content/[collection]/[ref]/publish': entry('/publish'),
  'POST /api/content/[collection]/[ref]/unpublish': entry('/unpublish'),
  'GET /api/content/[collection]/[ref]/revisions': { ...entry('/revisions'), queries: WRONG_LIMITS },
  'POST /api/content/[collection]/[ref]/restore': {
    ...entry('/restore'),
    body: { revision: 1 },
    wrong: [undefined, null, 0, -1, 1.5, '1', 999, 1e300].map((revision) => ({ revision })),
  },
  'GET /api/content/navigation': { path: '/api/content/navigation' },
  'PUT /api/content/navigation': {
    path: '/api/content/navigation',
    body: { items: [{ label: 'Words', href: '/' }] },
    wrong: [
      7,
      undefined,
      [7],
      [{ label: 'X' }],
      [{ label: '', href: '/' }],
      [{ label: LETTERS, href: '/' }],
      [{ label: 'X', href: 'javascript:alert(1)' }],
      [{ label: 'X', href: `/${LETTERS}` }],
      [{ label: 'X', href: '/', children: [{ label: 'Y', href: '/', children: [] }] }],
      times(20_000, { label: 'X', href: '/' }),
    ].map((items) => ({ items })),
  },
  'GET /api/content/settings': { path: '/api/content/settings' },
  'PATCH /api/content/settings': {
    path: '/api/content/settings',
    body: { siteName: 'Words' },
    wrong: [
      { siteName: undefined },
      ...[7, '', null, LETTERS].map((siteName) => ({ siteName })),
      ...[7, LETTERS].flatMap((text) => [{ tagline: text }, { footerText: text }, { homeSlug: text }]),
      ...['red', '#12', '#gggggg', LETTERS].map((accentColor) => ({ accentColor })),
      ...['nobody', LETTERS].map((contactEmail) => ({ contactEmail })),
    ],
  },
  'POST /api/content/undo': {
    path: '/api/content/undo',
    body: { changeId: 'chg_nowhere' },
    wrong: [undefined, 7, '', 'chg_nowhere', LETTERS, '__proto__'].map((changeId) => ({ changeId })),
  },
};
