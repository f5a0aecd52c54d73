import { LETTERS } from '#tests/support/bad-bodies';
import type { RouteRow } from '#tests/support/refusals/route-row';
import { MALFORMED_IDS, WRONG_CURSORS, WRONG_LIMITS } from '#tests/support/refusals/wrong-values';

const ABSENT_PERSON = 'usr_01h0000000000000000000000a';

const ABSENT_PASSKEY = 'psk_01h0000000000000000000000a';

const PASSKEY_ANSWER = { id: 'none', type: 'public-key', response: {} };

const WRONG_PASSKEY_ANSWERS = [
  7,
  null,
  'x',
  {},
  { ...PASSKEY_ANSWER, type: 'words' },
  { ...PASSKEY_ANSWER, id: '' },
].map((answer) => ({ answer }));

const WRONG_CODES = [7, null, '', ' ', LETTERS].map((code) => ({ code }));

const ABSENT_SIGN_IN = 'sin_01h0000000000000000000000a';

const ABSENT_KEY = 'key_01h0000000000000000000000a';

const ABSENT_CALL_REQUEST = 'req_01h0000000000000000000000a';

const WRONG_EMAILS = [7, null, '', 'words', 'a@b', 'two words@kiln.example', `${'a'.repeat(300)}@kiln.example`].map(
  (email) => ({ email }),
);

const WRONG_NAMES = [7, null, '', '   ', '\u200b', LETTERS].map((name) => ({ name }));

const WRONG_PASSWORDS = [7, null, '', 'eleven char', LETTERS].map((password) => ({ password }));

const WRONG_TIMES = ['from=', 'from=today', 'until=-1', 'until=1.5', 'until=Infinity'];

const WRONG_ROLES = [7, null, '', 'owner', 'ADMIN', ['admin']].map((role) => ({ role }));

const WRONG_PEOPLE = [...WRONG_NAMES, ...WRONG_EMAILS, ...WRONG_PASSWORDS, { id: 'own_local' }];

const NEW_PERSON = { name: 'Words', email: 'edith@kiln.example', password: 'long enough for us' };

/** The server of that test runs in local mode, where there are no people to be found: 409. */
const PERSON: Pick<RouteRow, 'path' | 'absent' | 'malformed'> = {
  path: `/api/users/${ABSENT_PERSON}`,
  absent: [],
  malformed: MALFORMED_IDS.map((id) => `/api/users/${id}`),
};

const SUBMISSION = 'sub_01h0000000000000000000000a';

const WRONG_SELECTIONS = [
  { ids: [SUBMISSION], all: {} },
  { all: { text: 7 } },
  { all: { text: LETTERS } },
  { all: { other: 'x' } },
  ...[7, null, [], [7], ['sub_1'], Array.from({ length: 101 }, () => SUBMISSION)].map((ids) => ({
    all: undefined,
    ids,
  })),
];
const SUBMISSION_QUERIES = ['text=', `text=${LETTERS.slice(0, 600)}`, 'unread=yes', 'sectionId='];

/** Routes of who may do what: sign-in, people, keys, the audit log. */
export const ACCESS_REFUSALS: Readonly<Record<string, RouteRow>> = {
  'POST /api/auth/sign-in': {
    path: '/api/auth/sign-in',
    body: { email: 'edith@kiln.example', password: 'Words that nobody guesses' },
    wrong: [...WRONG_EMAILS, ...[7, null, '', LETTERS].map((password) => ({ password }))],
  },
  'POST /api/auth/sign-in/code': {
    path: '/api/auth/sign-in/code',
    body: { code: '123456', isRecovery: false },
    wrong: [...WRONG_CODES, ...[7, null, 'yes'].map((isRecovery) => ({ isRecovery }))],
  },
  'POST /api/auth/sign-in/oidc': {
    path: '/api/auth/sign-in/oidc',
    body: { next: '/account' },
    wrong: [...[7, null, LETTERS].map((next) => ({ next })), ...[7, null, 'yes'].map((isAfresh) => ({ isAfresh }))],
  },
  'POST /api/auth/sign-in/passkey-options': { path: '/api/auth/sign-in/passkey-options' },
  'POST /api/auth/sign-in/passkey': {
    path: '/api/auth/sign-in/passkey',
    body: { answer: PASSKEY_ANSWER },
    wrong: WRONG_PASSKEY_ANSWERS,
  },
  'GET /api/auth/factors': { path: '/api/auth/factors' },
  'POST /api/auth/factors/passkey-options': { path: '/api/auth/factors/passkey-options' },
  'POST /api/auth/factors/passkeys': {
    path: '/api/auth/factors/passkeys',
    body: { name: 'Words', answer: PASSKEY_ANSWER },
    wrong: [...WRONG_NAMES, ...WRONG_PASSKEY_ANSWERS],
  },
  // In local mode there are none: 409.
  'DELETE /api/auth/factors/passkeys/[id]': {
    path: `/api/auth/factors/passkeys/${ABSENT_PASSKEY}`,
    absent: [],
    malformed: MALFORMED_IDS.map((id) => `/api/auth/factors/passkeys/${id}`),
  },
  'POST /api/auth/factors/totp': {
    path: '/api/auth/factors/totp',
    body: { password: 'Words' },
    wrong: [7, null, LETTERS].map((password) => ({ password })),
  },
  'DELETE /api/auth/factors/totp': {
    path: '/api/auth/factors/totp',
    body: { password: 'Words' },
    wrong: [7, null, LETTERS].map((password) => ({ password })),
  },
  'POST /api/auth/factors/totp/confirm': {
    path: '/api/auth/factors/totp/confirm',
    body: { code: '123456' },
    wrong: WRONG_CODES,
  },
  'POST /api/auth/confirm': {
    path: '/api/auth/confirm',
    body: { code: '123456' },
    wrong: WRONG_CODES,
  },
  'POST /api/auth/sign-out': {
    path: '/api/auth/sign-out',
    body: { everywhere: false },
    wrong: [7, null, 'yes'].map((everywhere) => ({ everywhere })),
  },
  'GET /api/auth/sign-ins': { path: '/api/auth/sign-ins' },
  // In local mode there are none: 409.
  'DELETE /api/auth/sign-ins/[id]': {
    path: `/api/auth/sign-ins/${ABSENT_SIGN_IN}`,
    absent: [],
    malformed: MALFORMED_IDS.map((id) => `/api/auth/sign-ins/${id}`),
  },
  'POST /api/auth/owner': {
    path: '/api/auth/owner',
    body: { ...NEW_PERSON, code: 'Words' },
    wrong: [...WRONG_PEOPLE, ...[7, null, '', LETTERS].map((code) => ({ code }))],
  },
  'POST /api/auth/forgotten': {
    path: '/api/auth/forgotten',
    body: { email: 'edith@kiln.example' },
    wrong: WRONG_EMAILS,
  },
  'POST /api/auth/new-password': {
    path: '/api/auth/new-password',
    body: { token: 'Words', password: 'long enough for us' },
    wrong: [...WRONG_PASSWORDS, ...[7, null, '', LETTERS].map((token) => ({ token }))],
  },
  'GET /api/submissions': {
    path: '/api/submissions',
    queries: [...WRONG_LIMITS, 'limit=101', ...WRONG_CURSORS, ...SUBMISSION_QUERIES],
  },
  'PATCH /api/submissions': {
    path: '/api/submissions',
    body: { all: { text: 'Words' }, isRead: true },
    wrong: [...WRONG_SELECTIONS, ...[7, null, 'yes'].map((isRead) => ({ isRead }))],
  },
  'DELETE /api/submissions': {
    path: '/api/submissions',
    body: { all: { text: 'Words' } },
    wrong: WRONG_SELECTIONS,
  },
  'GET /api/submissions/overview': { path: '/api/submissions/overview' },
  'PATCH /api/submissions/overview': {
    path: '/api/submissions/overview',
    body: { keepDays: 365 },
    wrong: [7.5, null, 0, -1, 3_651, '365', 1e12].map((keepDays) => ({ keepDays })),
  },
  'GET /api/submissions/export': { path: '/api/submissions/export', queries: SUBMISSION_QUERIES },
  'GET /api/auth/me': { path: '/api/auth/me' },
  'PATCH /api/auth/me': {
    path: '/api/auth/me',
    body: { name: 'Words' },
    wrong: [
      ...WRONG_NAMES,
      ...[7, null, 'x', {}, { current: 'x' }, { current: '', next: 'long enough for us' }].map((password) => ({
        password,
      })),
      { password: { current: 'x', next: 'too short' } },
      ...[7, '', 'DE', 'tlh', 'toString', ['de']].map((language) => ({ language })),
    ],
  },
  'GET /api/users': { path: '/api/users' },
  'POST /api/users': {
    path: '/api/users',
    body: { ...NEW_PERSON, role: 'editor' },
    wrong: [...WRONG_PEOPLE, ...WRONG_ROLES],
  },
  'PATCH /api/users/[id]': {
    ...PERSON,
    body: { name: 'Words' },
    wrong: [
      ...WRONG_NAMES,
      ...WRONG_ROLES,
      ...[7, 'yes', null].map((banned) => ({ banned })),
      ...[7, null, 'keep'].map((secondFactor) => ({ secondFactor })),
      ...WRONG_PASSWORDS,
    ],
  },
  'DELETE /api/users/[id]': PERSON,
  'POST /api/users/[id]/link': {
    path: `/api/users/${ABSENT_PERSON}/link`,
    absent: [],
    malformed: MALFORMED_IDS.map((id) => `/api/users/${id}/link`),
  },
  'GET /api/personal-data': {
    path: '/api/personal-data?email=nobody@kiln.example',
    queries: ['email=words', 'email=', 'other=1'],
  },
  'POST /api/personal-data/erase': {
    path: '/api/personal-data/erase',
    body: { email: 'nobody@kiln.example', dryRun: true },
    wrong: [...WRONG_EMAILS, { dryRun: 'yes' }, { dryRun: null }],
  },
  'GET /api/admin/audit': {
    path: '/api/admin/audit',
    queries: [
      ...WRONG_LIMITS,
      'limit=201',
      ...WRONG_CURSORS,
      ...['', 'SIGN-IN', 'constructor'].map((action) => `action=${action}`),
      'userId=',
      ...WRONG_TIMES,
    ],
  },
  'GET /api/admin/audit/export': {
    path: '/api/admin/audit/export',
    queries: ['action=SIGN-IN', 'userId=', ...WRONG_TIMES, 'format=', 'format=CSV'],
  },
  'POST /api/backups': { path: '/api/backups' },
  'GET /api/backups/[id]': {
    path: '/api/backups/bak_01h0000000000000000000000a',
    absent: ['/api/backups/bak_01h0000000000000000000000a'],
    malformed: MALFORMED_IDS.map((id) => `/api/backups/${id}`),
  },
  'POST /api/oauth/consent': {
    path: '/api/oauth/consent',
    body: { query: 'client_id=none', userId: 'nobody', isAllowed: false },
    wrong: [
      ...[7, null, 'client_id=none', 'x'.repeat(8_001)].map((query) => ({ query })),
      ...[7, null, 'yes'].map((isAllowed) => ({ isAllowed })),
      ...[7, null, 'x'.repeat(101)].map((userId) => ({ userId })),
      ...[7, null, 'yes'].map((mayPublish) => ({ mayPublish })),
    ],
  },
  'GET /api/keys': { path: '/api/keys', queries: ['all=', 'all=2', 'all=true'] },
  'POST /api/keys': {
    path: '/api/keys',
    body: { name: 'Words', scopes: ['chat'], expiresAt: null },
    wrong: [
      ...['', ' ', 7, null, 'x'.repeat(101)].map((name) => ({ name })),
      ...[[], ['root'], Array.from({ length: 6 }, () => 'chat'), 'chat', null].map((scopes) => ({ scopes })),
      ...[0, -1, 1.5, 1_600_000_000_000, 1e300, 'tomorrow'].map((expiresAt) => ({ expiresAt })),
    ],
  },
  'DELETE /api/keys/[id]': {
    path: `/api/keys/${ABSENT_KEY}`,
    absent: [`/api/keys/${ABSENT_KEY}`],
    malformed: MALFORMED_IDS.map((id) => `/api/keys/${id}`),
  },
  'GET /api/call-requests': { path: '/api/call-requests' },
  'GET /api/call-requests/[id]': {
    path: `/api/call-requests/${ABSENT_CALL_REQUEST}`,
    absent: [`/api/call-requests/${ABSENT_CALL_REQUEST}`],
    malformed: MALFORMED_IDS.map((id) => `/api/call-requests/${id}`),
  },
  'POST /api/call-requests/[id]': {
    path: `/api/call-requests/${ABSENT_CALL_REQUEST}`,
    absent: [`/api/call-requests/${ABSENT_CALL_REQUEST}`],
    malformed: MALFORMED_IDS.map((id) => `/api/call-requests/${id}`),
    body: { approved: false, reason: 'Words' },
    wrong: [
      ...[7, null, 'yes', undefined].map((approved) => ({ approved })),
      ...[7, null, '', ' ', LETTERS].map((reason) => ({ reason })),
    ],
  },
};
