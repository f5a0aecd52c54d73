import { NO_APPROVAL } from '#tests/support/decisions';
import { LETTERS } from '#tests/support/bad-bodies';
import { said } from '#tests/support/said';
import type { RouteRow } from '#tests/support/refusals/route-row';
import {
  ABSENT_ATTACHMENT,
  LARGE_BODY,
  MALFORMED_IDS,
  WRONG_CURSORS,
  WRONG_LIMITS,
  times,
} from '#tests/support/refusals/wrong-values';

const ABSENT_SESSION = 'ses_01h0000000000000000000000a';

const ABSENT_QUEUED = 'que_01h0000000000000000000000a';

const ABSENT_MESSAGE = 'msg_01h0000000000000000000000a';

const ABSENT_COMPACTION = 'cmp_01h0000000000000000000000a';

const ABSENT_WISH = 'kep_01h0000000000000000000000a';

const session = (rest: string): Pick<RouteRow, 'path' | 'absent' | 'malformed'> => ({
  path: `/api/sessions/{session}${rest}`,
  absent: [`/api/sessions/${ABSENT_SESSION}${rest}`],
  malformed: MALFORMED_IDS.map((id) => `/api/sessions/${id}${rest}`),
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

const WRONG_EVENT_IDS = ['', '-1', '1.5', '1e3', 'x', '9'.repeat(16), LETTERS.slice(0, 9_000)].map(
  (id) => `lastEventId=${id}`,
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

const attached = (url: unknown) => ({ role: 'user', parts: [{ type: 'file', url }] });

const WRONG_POLICIES = [7, null, '', 'always', 'Allow', ['allow']].map((approvals) => ({ approvals }));

const WRONG_MESSAGES = [
  ...[
    undefined,
    7,
    '',
    '@blob:blb_01h0000000000000000000000a',
    'data:text/plain,words',
    'https://throughline.example/a.png',
    '/api/attachments/',
    '/api/attachments/../sessions',
    `/api/attachments/${ABSENT_ATTACHMENT}`,
    `/api/attachments/${ABSENT_ATTACHMENT}?x`,
    `/api/attachments/${LETTERS}`,
  ].map(attached),
  {
    role: 'user',
    parts: [...said('Look').parts, ...times(11, { type: 'file', url: `/api/attachments/${ABSENT_ATTACHMENT}` })],
  },
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

const WRONG_REPLACEMENTS = [
  7,
  null,
  ABSENT_MESSAGE,
  {},
  { messageId: 'msg_1' },
  { messageId: LETTERS },
  { messageId: ABSENT_MESSAGE },
  { messageId: ABSENT_MESSAGE, undoChanges: true },
  { messageId: ABSENT_MESSAGE, undoChanges: 'yes' },
  { messageId: ABSENT_MESSAGE, also: 1 },
].map((replaces) => ({ replaces }));

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

/** A route about one thing of the session, by the thing's id. */
const inSession = (folder: string, absent: string, rest = ''): RouteRow => ({
  path: `/api/sessions/{session}/${folder}/${absent}${rest}`,
  absent: ['{session}', ABSENT_SESSION].map((id) => `/api/sessions/${id}/${folder}/${absent}${rest}`),
  malformed: MALFORMED_IDS.map((id) => `/api/sessions/{session}/${folder}/${id}${rest}`),
});

/** Routes of conversations. */
export const SESSION_REFUSALS: Readonly<Record<string, RouteRow>> = {
  'GET /api/sessions': {
    path: '/api/sessions',
    queries: [...WRONG_LIMITS, 'limit=201', ...WRONG_CURSORS, `q=${LETTERS.slice(0, 9_000)}`],
  },
  'POST /api/sessions': { path: '/api/sessions', body: {}, wrong: [...WRONG_TITLES, ...WRONG_MODELS] },
  'GET /api/sessions/events': { path: '/api/sessions/events' },
  'GET /api/sessions/[id]': session(''),
  'PATCH /api/sessions/[id]': {
    ...session(''),
    body: { title: 'Words' },
    wrong: [...WRONG_TITLES, ...WRONG_MODELS, { title: undefined }],
  },
  'DELETE /api/sessions/[id]': session(''),
  'GET /api/sessions/[id]/messages': {
    ...session('/messages'),
    queries: [
      ...WRONG_LIMITS,
      'limit=1001',
      ...WRONG_CURSORS,
      ...WRONG_CURSORS.map((query) => `${query}&format=ui`),
      'summaries=2',
      'summaries=true',
      'format=xml',
      'superseded=2',
      'superseded=1&format=ui',
      `supersededBy=${ABSENT_MESSAGE}`,
      `supersededBy=${ABSENT_MESSAGE}&format=rich`,
      'supersededBy=&format=ui',
      'supersededBy=msg_1&format=ui',
      `supersededBy=${LETTERS.slice(0, 9_000)}&format=ui`,
    ],
  },
  'POST /api/sessions/[id]/import': {
    ...session('/import'),
    body: { messages: [{ role: 'user', content: 'Words' }] },
    wrong: [{ messages: undefined }, ...WRONG_TRANSCRIPTS],
    bodyLimit: LARGE_BODY,
  },
  'GET /api/sessions/[id]/export': { ...session('/export'), queries: ['format=', 'format=html', 'format=JSON'] },
  'GET /api/sessions/[id]/undoable': session('/undoable'),
  'POST /api/sessions/[id]/attachments': {
    ...session('/attachments'),
    wrongBytes: [Buffer.alloc(0), Buffer.from('a\0b'), Buffer.from('%PDF-1.7'), Buffer.alloc(200_001, 'a')],
    queries: ['filename=', `filename=${LETTERS.slice(0, 300)}`],
    bodyLimit: 5_000_000,
  },
  'GET /api/attachments/[id]': {
    path: `/api/attachments/${ABSENT_ATTACHMENT}`,
    absent: [`/api/attachments/${ABSENT_ATTACHMENT}`],
    malformed: MALFORMED_IDS.map((id) => `/api/attachments/${id}`),
  },
  'GET /api/sessions/[id]/context': { ...session('/context'), queries: WRONG_MODEL_QUERIES },
  'GET /api/sessions/[id]/context/history': session('/context/history'),
  'GET /api/sessions/[id]/context/request': { ...session('/context/request'), queries: WRONG_MODEL_QUERIES },
  'GET /api/sessions/[id]/context/messages': { ...session('/context/messages'), queries: WRONG_MODEL_QUERIES },
  'POST /api/sessions/[id]/prepare': {
    ...session('/prepare'),
    body: { messages: [{ role: 'user', content: 'Words' }] },
    wrong: [...WRONG_TRANSCRIPTS, ...WRONG_MODELS],
    bodyLimit: LARGE_BODY,
  },
  'POST /api/sessions/[id]/compact/cancel': session('/compact/cancel'),
  'GET /api/sessions/[id]/compactions/[compactionId]': inSession('compactions', ABSENT_COMPACTION),
  'POST /api/sessions/[id]/compactions/[compactionId]/undo': inSession('compactions', ABSENT_COMPACTION, '/undo'),
  'GET /api/sessions/[id]/wishes': session('/wishes'),
  'DELETE /api/sessions/[id]/wishes/[wishId]': inSession('wishes', ABSENT_WISH),
  'POST /api/sessions/[id]/wishes/[wishId]/confirm': inSession('wishes', ABSENT_WISH, '/confirm'),
  'DELETE /api/sessions/[id]/wishes/[wishId]/confirm': inSession('wishes', ABSENT_WISH, '/confirm'),
  'POST /api/sessions/[id]/wishes/[wishId]/restore': inSession('wishes', ABSENT_WISH, '/restore'),
  'GET /api/sessions/[id]/search': {
    ...session('/search'),
    absent: [`/api/sessions/${ABSENT_SESSION}/search?q=words`],
    queries: ['', 'q=', ...WRONG_LIMITS.map((limit) => `q=words&${limit}`), `q=${LETTERS.slice(0, 9_000)}`],
  },
  'GET /api/search': {
    path: '/api/search',
    queries: [
      '',
      'q=',
      ...[...WRONG_LIMITS, 'limit=51', ...WRONG_CURSORS].map((wrong) => `q=words&${wrong}`),
      `q=${LETTERS.slice(0, 9_000)}`,
    ],
  },
  'GET /api/sessions/[id]/thread': {
    ...session('/thread'),
    queries: [...WRONG_LIMITS, 'limit=2001', 'cursor=', 'cursor=x', `cursor=${LETTERS.slice(0, 9_000)}`],
  },
  'GET /api/sessions/[id]/events': {
    ...session('/events'),
    queries: [...WRONG_EVENT_IDS, ...['', 'true', '2'].map((snapshot) => `snapshot=${snapshot}`)],
  },
  'GET /api/admin/program-compactions': { path: '/api/admin/program-compactions' },
  'GET /api/admin/sessions': {
    path: '/api/admin/sessions',
    queries: [
      ...WRONG_LIMITS,
      'limit=201',
      ...WRONG_CURSORS,
      `q=${LETTERS.slice(0, 9_000)}`,
      ...['', 'busy', 'IDLE', 'constructor', 'idle,failed'].map((state) => `state=${state}`),
    ],
  },
  'GET /api/admin/sessions/[id]': {
    path: '/api/admin/sessions/{session}',
    absent: [`/api/admin/sessions/${ABSENT_SESSION}`],
    malformed: MALFORMED_IDS.map((id) => `/api/admin/sessions/${id}`),
  },
  'GET /api/admin/events': { path: '/api/admin/events', queries: WRONG_EVENT_IDS },
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
    bodyLimit: 16_000_000,
    body: { id: '{session}', message: said('Words') },
    wrong: [
      ...WRONG_SESSIONS.map((id) => ({ id })),
      ...WRONG_MODELS,
      ...[7, null, '', LETTERS].map((clientRequestId) => ({ clientRequestId })),
      ...WRONG_POLICIES,
      ...WRONG_MESSAGES,
      ...WRONG_REPLACEMENTS,
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
    path: '/api/message/queue',
    body: { sessionId: '{session}', message: said('Words') },
    wrong: [
      ...WRONG_SESSIONS.map((sessionId) => ({ sessionId })),
      ...WRONG_MODELS,
      ...[7, null, '', LETTERS].map((clientRequestId) => ({ clientRequestId })),
      ...WRONG_POLICIES,
      ...WRONG_MESSAGES,
      ...WRONG_REPLACEMENTS,
    ],
  },
  'DELETE /api/message/queue': ofQueue(''),
  'POST /api/message/queue/send': ofQueue('/send'),
  'PATCH /api/message/queue/[id]': { ...queued(''), body: { message: said('Words') }, wrong: WRONG_MESSAGES },
  'DELETE /api/message/queue/[id]': queued(''),
  'POST /api/message/queue/[id]/send': queued('/send'),
  'GET /api/approvals': { path: '/api/approvals' },
  'GET /api/sessions/[id]/approvals': session('/approvals'),
  'GET /api/sessions/[id]/approvals/[approvalId]': {
    path: `/api/sessions/{session}/approvals/${NO_APPROVAL}`,
    absent: [`/api/sessions/{session}/approvals/${NO_APPROVAL}`],
    malformed: MALFORMED_IDS.map((id) => `/api/sessions/{session}/approvals/${id}`),
  },
  'POST /api/sessions/[id]/approvals': {
    ...session('/approvals'),
    body: { decisions: [{ approvalId: NO_APPROVAL, approved: true, reason: 'Words' }] },
    wrong: [
      7,
      undefined,
      [],
      [7],
      [{}],
      [{ toolCallId: 'call_1', approved: true }],
      [{ approvalId: 'call_1', approved: true }],
      [{ approvalId: NO_APPROVAL, approved: true }],
      [{ approvalId: NO_APPROVAL }],
      [{ approvalId: '', approved: true }],
      [{ approvalId: LETTERS, approved: true }],
      [{ approvalId: NO_APPROVAL, approved: 'yes' }],
      [{ approvalId: NO_APPROVAL, approved: true, input: { slug: 'home' } }],
      [{ approvalId: NO_APPROVAL, approved: false, reason: '' }],
      [{ approvalId: NO_APPROVAL, approved: false, reason: LETTERS }],
      times(2, { approvalId: NO_APPROVAL, approved: true }),
      times(20_000, { approvalId: NO_APPROVAL, approved: true }),
    ].map((decisions) => ({ decisions })),
  },
};
