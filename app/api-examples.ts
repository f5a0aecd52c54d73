import type { ApiExample } from '#server/http/openapi/openapi-document';
import type { JsonValue } from '#server/core/json';

/**
 * Placeholder ids for objects that exist only at run time; the tests replace them with ids of objects that they
 * created.
 */
export const sampleIds = {
  session: 'ses_01kas8v0d2m5q7x9z3b4c6f8hj',
  compaction: 'cmp_01kas8vf5t1n3p6r8w0y2a4d7k',
  wish: 'kep_01kas8vr3d5f7h9k1m2p4q6s8t',
  queued: 'que_01kas8w2g4j6m9q1s3v5x7z8bc',
  approval: 'apr_01kas8vx6g8j0m2p4r6t8w1y3a_9f2c4e6a8b0d1f3e5c7a9b2d4f6e8a0c',
  attachment: 'blb_01kas8wq7h9k2n4p6t8v0y1z3d',
  slug: 'open-evening',
  /** Id of a page in the trash. */
  trashed: 'pag_k4m7qx',
  change: 'chg_01kas8x9a2c4e6g8j0m1p3r5tv',
  importRun: 'imp_01kas8xk2d4f6h8j0m2p4r6t8v',
  asset: 'ast_h7k2mp',
  trashedAsset: 'ast_r5t9vw',
  toolServer: 'mcp_01kas8xw3b5d7f9h1k2m4p6q8s',
  site: 'wps_01kas8xx5d7f9h1k3m5p7q9s0v',
  key: 'key_01kas8ya4c6e8g0j2m3p5r7t9v',
  callRequest: 'req_01kas8yd3f5h7k9m1p3r5t7w9z',
  response: 'resp_9f2c4e6a8b0d1f3e5c7a9b2d4f6e8a0c',
  person: 'usr_01kas8yv1d3f5h7k9m2n4p6q8r',
  email: 'mara@example.com',
} as const;

/** Password of people created in the examples. */
export const samplePassword = 'a kiln full of saltmarsh mugs';

/** A message of the user. */
const userMessage = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] });

/** Path parameters by the start of the route. */
const PARAMS: readonly (readonly [RegExp, NonNullable<ApiExample['params']>])[] = [
  [/^\S+ \/api\/sessions\/\{id\}\/compactions\//, { id: sampleIds.session, compactionId: sampleIds.compaction }],
  [/^\S+ \/api\/sessions\/\{id\}\/wishes\/\{/, { id: sampleIds.session, wishId: sampleIds.wish }],
  [/^\S+ \/api\/sessions\/\{id\}\/approvals\/\{/, { id: sampleIds.session, approvalId: sampleIds.approval }],
  [/^\S+ \/api\/(sessions|chat|admin\/sessions)\/\{id\}/, { id: sampleIds.session }],
  [/^\S+ \/api\/message\/queue\/\{id\}/, { id: sampleIds.queued }],
  [/^\S+ \/api\/attachments\//, { id: sampleIds.attachment }],
  [/^\S+ \/api\/content\/media\/\{id\}\/restore/, { id: sampleIds.trashedAsset }],
  [/^\S+ \/api\/content\/media\/\{id\}/, { id: sampleIds.asset }],
  [/^\S+ \/api\/content\/changes\/\{id\}/, { id: sampleIds.change }],
  [/^\S+ \/api\/content\/imports\/\{id\}/, { id: sampleIds.importRun }],
  [/^\S+ \/api\/content\/types\/\{name\}/, { name: 'faq' }],
  [/^\S+ \/api\/content\/\{collection\}\/\{ref\}\/untrash/, { collection: 'pages', ref: sampleIds.trashed }],
  [
    /^\S+ \/api\/content\/\{collection\}\/\{ref\}\/comments\/\{/,
    { collection: 'pages', ref: sampleIds.slug, comment: 'cmt_01kas8z1c3e5g7j9m1p3r5t7v9' },
  ],
  [
    /^\S+ \/api\/content\/\{collection\}\/\{ref\}\/preview-links\/\{/,
    { collection: 'pages', ref: sampleIds.slug, link: 'lnk_01kas8z1c3e5g7j9m1p3r5t7v9' },
  ],
  [/^\S+ \/api\/content\/\{collection\}\/\{ref\}/, { collection: 'pages', ref: sampleIds.slug, revision: '1' }],
  [/^\S+ \/api\/content\/\{collection\}/, { collection: 'pages' }],
  [/^\S+ \/api\/backups\//, { id: 'bak_01kas8yx3d5f7h9k1m3p5q7s9v' }],
  [/^\S+ \/api\/settings\/mcp-servers\/\{id\}/, { id: sampleIds.toolServer }],
  [/^\S+ \/api\/settings\/sites\/\{id\}/, { id: sampleIds.site }],
  [/^\S+ \/api\/settings\/providers\/\{id\}\/test/, { id: 'built-in' }],
  [/^\S+ \/api\/settings\/providers\/\{id\}/, { id: 'anthropic' }],
  [/^\S+ \/api\/keys\/\{id\}/, { id: sampleIds.key }],
  [/^\S+ \/api\/call-requests\/\{id\}/, { id: sampleIds.callRequest }],
  [/^\S+ \/api\/users\/\{id\}/, { id: sampleIds.person }],
  [/^\S+ \/api\/auth\/factors\/passkeys\/\{id\}/, { id: 'psk_01kas8yx3b5d7f9h1k3m5p7q9s' }],
  [/^\S+ \/api\/auth\/sign-ins\/\{id\}/, { id: 'sin_01kas8yx3b5d7f9h1k3m5p7q9s' }],
  [/^\S+ \/v1\/responses\/\{id\}/, { id: sampleIds.response }],
  [/^\S+ \/v1\/models\/\{id\}/, { id: 'throughline/offline' }],
];

/** Answer of a passkey in the form of `PublicKeyCredential.toJSON()`, shortened. */
const passkeyAnswer = { id: 'bm90IHJlYWw', type: 'public-key', response: { clientDataJSON: 'e30' } };

/** Query that names the session. */
const ofSession = { query: { sessionId: sampleIds.session } };
/** How a tool server is reached. */
const transport = { type: 'http', url: 'https://tools.example.com/mcp' };
/** How a WordPress site is reached. */
const connection = { url: 'https://www.example.com', username: 'mara', password: 'abcd EFGH 1234 ijkl MNOP 5678' };
const glossary = [{ term: 'kiln', meaning: 'never "oven"' }];

/** Query and body of the examples, by `METHOD /path`; a route that is missing here sends neither. */
const INPUTS: Readonly<Record<string, Pick<ApiExample, 'query' | 'body'>>> = {
  'POST /api/chat': { body: { id: sampleIds.session, message: userMessage('List the pages') } },
  'POST /api/message/queue': { body: { sessionId: sampleIds.session, message: userMessage('Then list the posts') } },
  'GET /api/message/queue': ofSession,
  'DELETE /api/message/queue': ofSession,
  'POST /api/message/queue/send': ofSession,
  'PATCH /api/message/queue/{id}': { body: { message: userMessage('Then list the newest posts') } },
  'POST /api/sessions/{id}/approvals': {
    body: { decisions: [{ approvalId: sampleIds.approval, approved: false, reason: 'We still need it.' }] },
  },
  'POST /api/sessions/{id}/attachments': { query: { filename: 'notes.txt' } },
  'GET /api/sessions': { query: { limit: '2' } },
  'POST /api/sessions': { body: { title: 'Spring menu' } },
  'PATCH /api/sessions/{id}': { body: { title: 'Summer menu' } },
  'GET /api/sessions/{id}/messages': { query: { limit: '2' } },
  'GET /api/sessions/{id}/search': { query: { q: 'report', limit: '2' } },
  'GET /api/search': { query: { q: 'report', limit: '2' } },
  'GET /api/sessions/{id}/export': { query: { format: 'markdown' } },
  'POST /api/sessions/{id}/import': {
    body: {
      messages: [
        { role: 'user', content: 'When are you open?' },
        { role: 'assistant', content: 'Tuesday to Saturday.' },
      ],
    },
  },
  'POST /api/sessions/{id}/prepare': { body: { messages: [{ role: 'user', content: 'And on Sundays?' }] } },
  'POST /api/sessions/{id}/compact': { body: { instructions: 'Keep every price.' } },
  'GET /api/content/{collection}': { query: { select: 'tags', limit: '2' } },
  'POST /api/content/{collection}': {
    body: {
      title: 'Glaze workshop',
      excerpt: 'Two evenings on glazes.',
      sections: [{ type: 'hero', fields: { heading: 'Glaze workshop' } }],
    },
  },
  'PATCH /api/content/{collection}/{ref}': {
    body: {
      excerpt: 'Come and see the kiln.',
      operations: [{ op: 'insert-section', section: { type: 'text', fields: { body: 'Doors open at six.' } } }],
    },
  },
  'POST /api/content/{collection}/{ref}/schedule': { body: { publishAt: '2033-01-05T09:00:00+01:00' } },
  'PATCH /api/content/{collection}/{ref}/comments/{comment}': { body: { resolved: true } },
  'POST /api/content/{collection}/{ref}/preview-links': { body: { days: 7 } },
  'POST /api/content/{collection}/{ref}/restore': { body: { revision: 1 } },
  'GET /api/content/{collection}/{ref}/revisions': { query: { limit: '2' } },
  'GET /api/content/changes': { query: { limit: '2' } },
  'GET /api/content/trash': { query: { limit: '2' } },
  'GET /api/content/planned': { query: { limit: '2' } },
  'GET /api/content/at': { query: { path: '/' } },
  'POST /api/content/presence': {
    body: {
      windowId: '5b0e9c9e-2f0a-4a63-9d2b-3f1f0d2b7a11',
      entryId: 'pag_k7m2p9',
      place: { sectionId: null, field: 'title' },
    },
  },
  'GET /api/content/site-files': { query: { url: 'https://kiln.example', check: '1' } },
  'POST /api/content/imports': { query: { filename: 'old-site.xml', dryRun: '1' } },
  'GET /api/submissions': { query: { limit: '2' } },
  'PATCH /api/submissions': { body: { all: { text: 'kiln' }, isRead: true } },
  'DELETE /api/submissions': { body: { all: { text: 'casino' } } },
  'PATCH /api/submissions/overview': { body: { keepDays: 365 } },
  'GET /api/content/media': { query: { limit: '2' } },
  'POST /api/content/media': { query: { filename: 'kiln.png', alt: 'The kiln, still warm' } },
  'POST /api/content/media/from-address': { body: { url: 'https://pictures.example.com/kiln.png' } },
  'PATCH /api/content/media/{id}': { body: { alt: 'The kiln, still warm', tags: ['studio'] } },
  'PUT /api/content/navigation': {
    body: {
      items: [
        { label: 'Home', href: '/' },
        { label: 'Workshops', href: '/workshops' },
      ],
    },
  },
  'PATCH /api/content/design': { body: { palette: { brand: '#4f6f52' }, fonts: 'fraunces-source-sans' } },
  'PATCH /api/content/settings': { body: { tagline: 'Clay, fire and patience' } },
  'PUT /api/content/standing-instructions': {
    body: { voice: 'Warm and plain.', glossary, rules: ['Always use British spelling.'] },
  },
  'POST /api/content/undo': { body: { changeId: sampleIds.change } },
  'POST /api/content/replace': { query: { dryRun: '1' }, body: { find: 'kiln', replace: 'oven', wholeWords: true } },
  'POST /api/content/start': { body: { kit: 'cafe', siteName: 'Sugarloaf', step: 1 } },
  'POST /api/content/batch': { body: { action: 'tag', ids: ['pag_k7m2p9', 'pos_x4c8d1'], add: ['winter'] } },
  'POST /api/content/bring-back': {
    body: { changeId: sampleIds.change, sessionId: sampleIds.session, path: '/', dryRun: true },
  },
  'PATCH /api/settings': { body: { strategy: 'ledger' } },
  'PUT /api/settings/providers/{id}': { body: { apiKey: 'sk-ant-api03-0123456789' } },
  'GET /api/budgets': { query: { sessionId: sampleIds.session } },
  'GET /api/admin/costs': { query: { by: 'day' } },
  'GET /api/admin/costs/csv': { query: { by: 'model' } },
  'POST /api/settings/sites': { body: connection },
  'POST /api/settings/sites/test': { body: connection },
  'POST /api/settings/sites/active': { body: { siteId: 'embedded' } },
  'PATCH /api/settings/sites/{id}': { body: { username: 'mara' } },
  'POST /api/settings/mcp-servers': { body: { name: 'calendar', transport, policy: 'ask' } },
  'PATCH /api/settings/mcp-servers/{id}': { body: { isEnabled: false } },
  'POST /api/settings/mcp-servers/test': { body: { transport } },
  'POST /api/settings/mcp-servers/{id}/sign-in/answer': { body: { state: 'p2mVQ8nE', error: 'access_denied' } },
  'GET /api/admin/sessions': { query: { limit: '2' } },
  'GET /api/admin/audit': { query: { limit: '2' } },
  'POST /api/call-requests/{id}': { body: { approved: false, reason: 'Not before Friday.' } },
  'POST /api/oauth/consent': {
    body: {
      query:
        'response_type=code&client_id=tlc_0123456789abcdefghijkl&redirect_uri=https%3A%2F%2Fassistant.example%2Fcallback&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256&state=af0ifjsldkj',
      userId: sampleIds.person,
      isAllowed: true,
    },
  },
  'POST /api/keys': { body: { name: 'Newsletter', scopes: ['content:read'] } },
  'POST /api/auth/sign-in': { body: { email: sampleIds.email, password: samplePassword } },
  'POST /api/auth/owner': {
    body: { name: 'Mara', email: sampleIds.email, password: samplePassword, code: 'k7mq-2wxr-9dhc-t4ne-8bvy' },
  },
  'POST /api/settings/mail/test': { body: { email: sampleIds.email } },
  'POST /api/auth/sign-in/oidc': { body: { next: '/account' } },
  'POST /api/auth/sign-in/code': { body: { code: '492039' } },
  'POST /api/auth/confirm': { body: { code: '492039' } },
  'POST /api/auth/sign-in/passkey': { body: { answer: passkeyAnswer } },
  'POST /api/auth/factors/passkeys': { body: { name: 'Phone', answer: passkeyAnswer } },
  'POST /api/auth/factors/totp': { body: { password: samplePassword } },
  'DELETE /api/auth/factors/totp': { body: { password: samplePassword } },
  'POST /api/auth/factors/totp/confirm': { body: { code: '492039' } },
  'POST /api/auth/forgotten': { body: { email: sampleIds.email } },
  'POST /api/auth/new-password': { body: { token: 'the-secret-part-of-the-link', password: samplePassword } },
  'PATCH /api/auth/me': { body: { name: 'Mara' } },
  'POST /api/users': {
    body: { name: 'Ada', email: 'ada@example.com', password: samplePassword, role: 'editor' },
  },
  'PATCH /api/users/{id}': { body: { role: 'admin' } },
  'DELETE /api/settings/learned-windows': { query: { modelId: 'local/studio:3b' } },
  'GET /api/personal-data': { query: { email: 'ada@example.com' } },
  'POST /api/personal-data/erase': { body: { email: 'ada@example.com', dryRun: true } },
  'POST /v1/chat/completions': {
    body: { model: 'throughline/offline', messages: [{ role: 'user', content: 'When are you open?' }] },
  },
  'POST /v1/responses': { body: { model: 'throughline/offline', input: 'When are you open?' } },
  'POST /v1/responses/compact': { body: { model: 'throughline/offline', input: 'When are you open?' } },
  'POST /v1/messages': {
    body: {
      model: 'throughline/offline',
      max_tokens: 1_000,
      messages: [{ role: 'user', content: 'When are you open?' }],
    },
  },
  'POST /v1/messages/count_tokens': {
    body: { model: 'throughline/offline', messages: [{ role: 'user', content: 'When are you open?' }] },
  },
};

/** A request that works, for a route named `METHOD /path`; the tests send each of them. */
export function exampleOf(
  route: string,
): Required<Pick<ApiExample, 'params' | 'query'>> & { readonly body?: JsonValue } {
  const params = PARAMS.find(([address]) => address.test(route))?.[1] ?? {};
  return { params, query: {}, ...INPUTS[route] } as ReturnType<typeof exampleOf>;
}

/** Routes whose example sends something. Lets the tests find entries of routes that no longer exist. */
export const exampleRoutes: readonly string[] = Object.keys(INPUTS);
