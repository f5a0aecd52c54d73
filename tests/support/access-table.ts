import { NO_APPROVAL } from '#tests/support/decisions';
import { LOCAL_OWNER, type Scope } from '#server/core/admin/access-rights';

/** The callers of a route, and the owners of the things that it reaches. */
export interface AccessRow {
  /**
   * `person`: a signed-in user, no key. `editor`, `administrator`: such a person with `content:write`, `admin`.
   * `signed-in`: any known caller. `public`: everybody.
   */
  readonly needs: Scope | 'person' | 'editor' | 'administrator' | 'signed-in' | 'public';
  /** It changes rights: an older sign-in has to be repeated. */
  readonly isFresh?: true;
  /** Where it is about a thing of one user: only theirs (`own`), or an administrator's to look after, too (`any`). */
  readonly reach?: 'own' | 'any';
  /** A request to it, where the table of refusals has none. Things of the editor are named as in `Things`. */
  readonly path?: string;
  readonly body?: object;
  /** Pages elsewhere may send it, too: it takes no more from one who has signed in than from anybody. */
  readonly isForAll?: true;
  /** The status of the request above, for a route that reads no cookie. Default with `isForAll`: 404. */
  readonly statusForAll?: number;
  /** Reading it is written into the audit log. */
  readonly isAudited?: true;
}

/** What routes are about, made for the editor: `{session}` in a path or body is its id. */
export const things = ['session', 'queued', 'attachment', 'key', 'callRequest', 'response'] as const;
export type Thing = (typeof things)[number];

/** How the refusals table names what is not there, and what is meant here instead. */
const STANDS_FOR: Readonly<Record<string, Thing>> = {
  que_01h0000000000000000000000a: 'queued',
  blb_01h0000000000000000000000a: 'attachment',
  key_01h0000000000000000000000a: 'key',
  req_01h0000000000000000000000a: 'callRequest',
};

/** A path or body of the refusals table, about the editor's things. */
export function aboutThings(text: string): string {
  return Object.entries(STANDS_FOR).reduce((said, [id, thing]) => said.replaceAll(id, `{${thing}}`), text);
}

const everybody: AccessRow = { needs: 'public' };
const signedIn: AccessRow = { needs: 'signed-in' };
const person: AccessRow = { needs: 'person' };
const editor: AccessRow = { needs: 'editor' };
const administrator: AccessRow = { needs: 'administrator' };
const chat: AccessRow = { needs: 'chat' };
const speaks: AccessRow = { needs: 'chat', reach: 'own' };
const looksAfter: AccessRow = { needs: 'chat', reach: 'any' };
const reads: AccessRow = { needs: 'content:read' };
const drafts: AccessRow = { needs: 'content:draft' };
const writes: AccessRow = { needs: 'content:write' };
const admin: AccessRow = { needs: 'admin' };
/** Who may do what, and secrets of other servers. */
const adminAfresh: AccessRow = { ...admin, isFresh: true };
const administratorAfresh: AccessRow = { ...administrator, isFresh: true };

const nowhere = { ...signedIn, path: '/api/nowhere' };
const completions = { needs: 'chat' } as const;
const noV1 = { ...completions, path: '/v1/nowhere' };

/** Every route of the app. */
export const ACCESS: Readonly<Record<string, AccessRow>> = {
  'GET /api/health': everybody,
  'GET /api/ready': everybody,
  'GET /api/openapi.json': everybody,
  'GET /robots.txt': { ...everybody, path: '/robots.txt' },
  'GET /site/sitemap.xml': { ...everybody, path: '/site/sitemap.xml' },
  'GET /media/[id]/[filename]': { ...everybody, path: '/media/ast_bcdfgh/a.png' },
  // What they show, and what they do not: tests/integration/preview-links.test.ts.
  'POST /shared/[secret]': { ...everybody, path: '/shared/abcdefghijklmnopqrstuv', isForAll: true },
  'GET /shared/[secret]': { ...everybody, path: '/shared/abcdefghijklmnopqrstuv' },
  'GET /shared/[secret]/[...file]': { ...everybody, path: '/shared/abcdefghijklmnopqrstuv/media/ast_bcdfgh/a.png' },
  'GET /look/page/[[...slug]]': { ...reads, path: '/look/page/pricing' },
  'GET /look/file/[...path]': { ...reads, path: '/look/file/wp-includes/style.css' },
  // What it refuses is not in JSON, and reveals nothing: tests/integration/forms.test.ts.
  'POST /forms/[entry]/[section]': { ...everybody, path: '/forms/pag_bcdfgh/sec_bcdfgh', isForAll: true },
  'GET /media/[id]/[filename]/[variant]': { ...everybody, path: '/media/ast_bcdfgh/0123456789abcdef/400.webp' },
  'POST /api/auth/sign-in': {
    ...everybody,
    body: { email: 'nobody@kiln.example', password: 'not the right words' },
  },
  'POST /api/auth/sign-in/code': { ...everybody, body: { code: '123456' } },
  'POST /api/auth/sign-in/oidc': { ...everybody, body: { next: '/' } },
  'GET /login/oidc': { ...everybody, path: '/login/oidc' },
  'POST /api/auth/sign-in/passkey-options': everybody,
  'POST /api/auth/sign-in/passkey': {
    ...everybody,
    body: { answer: { id: 'none', type: 'public-key', response: {} } },
  },
  'GET /api/auth/factors': person,
  'POST /api/auth/factors/passkey-options': { ...person, isFresh: true },
  'POST /api/auth/factors/passkeys': {
    ...person,
    isFresh: true,
    body: { name: 'Phone', answer: { id: 'none', type: 'public-key', response: {} } },
  },
  'DELETE /api/auth/factors/passkeys/[id]': { ...person, isFresh: true },
  'POST /api/auth/factors/totp': { ...person, isFresh: true, body: { password: 'not the right words' } },
  'DELETE /api/auth/factors/totp': { ...person, isFresh: true, body: { password: 'not the right words' } },
  'POST /api/auth/factors/totp/confirm': { ...person, isFresh: true, body: { code: '123456' } },
  'POST /api/auth/confirm': { ...person, body: { code: '123456' } },
  'POST /api/auth/sign-out': everybody,
  'POST /api/auth/owner': {
    ...everybody,
    body: { name: 'Second', email: 'second@kiln.example', password: 'not the first owner', code: 'no code' },
  },
  'POST /api/auth/forgotten': { ...everybody, body: { email: 'nobody@kiln.example' } },
  'POST /api/auth/new-password': { ...everybody, body: { token: 'none', password: 'a password for nobody' } },
  'GET /api/auth/sign-ins': person,
  'DELETE /api/auth/sign-ins/[id]': person,
  'GET /api/auth/me': signedIn,
  'PATCH /api/auth/me': { ...person, body: {} },
  'GET /.well-known/[...path]': { ...everybody, path: '/.well-known/oauth-authorization-server' },
  // Programs call these, with what they have and without cookies: tests/integration/oauth-attacks.test.ts.
  'POST /register': { ...everybody, path: '/register', isForAll: true },
  'POST /oauth/register': { ...everybody, path: '/oauth/register', body: {}, isForAll: true, statusForAll: 400 },
  'POST /oauth/token': { ...everybody, path: '/oauth/token', isForAll: true, statusForAll: 400 },
  'POST /oauth/revoke': { ...everybody, path: '/oauth/revoke', isForAll: true, statusForAll: 400 },
  'POST /api/oauth/consent': {
    ...person,
    isFresh: true,
    body: { query: 'client_id=none', userId: 'nobody', isAllowed: true },
  },
  'GET /api/keys': person,
  'POST /api/keys': { ...person, isFresh: true, body: { name: 'One more', scopes: ['chat'], expiresAt: null } },
  'DELETE /api/keys/[id]': { ...person, reach: 'any' },
  'GET /api/call-requests': person,
  'GET /api/call-requests/[id]': { ...person, reach: 'any' },
  'POST /api/call-requests/[id]': { ...person, reach: 'any' },
  'GET /api/users': administrator,
  'POST /api/users': {
    ...administratorAfresh,
    body: { name: 'Ned New', email: 'new@kiln.example', password: 'a password for a new one', role: 'editor' },
  },
  'PATCH /api/users/[id]': { ...administratorAfresh, path: `/api/users/${LOCAL_OWNER}`, body: { name: 'Olive Owner' } },
  'DELETE /api/users/[id]': administratorAfresh,
  'POST /api/users/[id]/link': administratorAfresh,
  'GET /api/personal-data': {
    ...administratorAfresh,
    path: '/api/personal-data?email=nobody@kiln.example',
    isAudited: true,
  },
  'POST /api/personal-data/erase': { ...administratorAfresh, body: { email: 'nobody@kiln.example', dryRun: true } },
  'GET /api/admin/audit': admin,
  'GET /api/admin/audit/export': { ...admin, isAudited: true },
  'GET /api/admin/program-compactions': admin,
  'GET /api/admin/sessions': admin,
  'GET /api/admin/sessions/[id]': admin,
  'GET /api/admin/events': admin,
  'GET /api/settings': admin,
  'PATCH /api/settings': adminAfresh,
  'GET /api/settings/sites': admin,
  'POST /api/settings/sites': adminAfresh,
  'POST /api/settings/sites/test': adminAfresh,
  'POST /api/settings/sites/active': adminAfresh,
  'PATCH /api/settings/sites/[id]': adminAfresh,
  'DELETE /api/settings/sites/[id]': adminAfresh,
  'POST /api/settings/sites/[id]/pull': admin,
  'GET /api/settings/mcp-servers': admin,
  'POST /api/settings/mcp-servers': adminAfresh,
  'PATCH /api/settings/mcp-servers/[id]': adminAfresh,
  'DELETE /api/settings/mcp-servers/[id]': adminAfresh,
  'POST /api/settings/mcp-servers/[id]/test': adminAfresh,
  'POST /api/settings/mcp-servers/test': adminAfresh,
  'POST /api/settings/mcp-servers/[id]/sign-in': administratorAfresh,
  'DELETE /api/settings/mcp-servers/[id]/sign-in': adminAfresh,
  'POST /api/settings/mcp-servers/[id]/sign-in/answer': administrator,
  'GET /api/budgets': { ...speaks, path: '/api/budgets?sessionId={session}' },
  'GET /api/admin/costs': admin,
  'GET /api/admin/costs/csv': admin,
  'GET /api/settings/local-servers': admin,
  'DELETE /api/settings/learned-windows': { ...adminAfresh, path: '/api/settings/learned-windows?modelId=local/m' },
  'PUT /api/settings/providers/[id]': adminAfresh,
  'DELETE /api/settings/providers/[id]': adminAfresh,
  'POST /api/settings/providers/[id]/test': adminAfresh,
  'POST /api/backups': administratorAfresh,
  'GET /api/backups/[id]': administratorAfresh,
  'POST /api/settings/mail/test': { ...administratorAfresh, body: { email: 'olive@kiln.example' } },

  'GET /api/submissions': person,
  'PATCH /api/submissions': { ...editor, body: { all: {}, isRead: true } },
  'DELETE /api/submissions': { ...editor, body: { all: {} } },
  'GET /api/submissions/overview': person,
  'PATCH /api/submissions/overview': { ...administrator, body: { keepDays: 365 } },
  'GET /api/submissions/export': { ...person, isAudited: true },

  'GET /api/models': { ...speaks, path: '/api/models?sessionId={session}' },
  'GET /api/sessions': chat,
  'POST /api/sessions': chat,
  'GET /api/sessions/events': chat,
  'GET /api/sessions/[id]': looksAfter,
  'PATCH /api/sessions/[id]': speaks,
  'DELETE /api/sessions/[id]': looksAfter,
  'GET /api/sessions/[id]/messages': looksAfter,
  'POST /api/sessions/[id]/import': speaks,
  'GET /api/sessions/[id]/export': looksAfter,
  'GET /api/sessions/[id]/undoable': speaks,
  'POST /api/sessions/[id]/attachments': speaks,
  'GET /api/sessions/[id]/context': looksAfter,
  'GET /api/sessions/[id]/context/history': looksAfter,
  'GET /api/sessions/[id]/context/request': looksAfter,
  'GET /api/sessions/[id]/context/messages': looksAfter,
  'POST /api/sessions/[id]/prepare': speaks,
  'POST /api/sessions/[id]/prune': looksAfter,
  'POST /api/sessions/[id]/compact': looksAfter,
  'POST /api/sessions/[id]/compact/cancel': looksAfter,
  'GET /api/sessions/[id]/compactions/[compactionId]': looksAfter,
  'POST /api/sessions/[id]/compactions/[compactionId]/undo': looksAfter,
  'GET /api/sessions/[id]/wishes': looksAfter,
  'DELETE /api/sessions/[id]/wishes/[wishId]': speaks,
  'POST /api/sessions/[id]/wishes/[wishId]/confirm': speaks,
  'DELETE /api/sessions/[id]/wishes/[wishId]/confirm': speaks,
  'POST /api/sessions/[id]/wishes/[wishId]/restore': speaks,
  'GET /api/sessions/[id]/search': { ...looksAfter, path: '/api/sessions/{session}/search?q=words' },
  'GET /api/sessions/[id]/thread': speaks,
  'GET /api/search': { ...chat, path: '/api/search?q=words' },
  'GET /api/sessions/[id]/events': looksAfter,
  'GET /api/sessions/[id]/approvals': speaks,
  // To agree takes the right to change the site, too: that is in tests/integration/approvals.test.ts.
  'POST /api/sessions/[id]/approvals': {
    ...speaks,
    body: { decisions: [{ approvalId: NO_APPROVAL, approved: false }] },
  },
  'GET /api/sessions/[id]/approvals/[approvalId]': {
    ...speaks,
    path: `/api/sessions/{session}/approvals/${NO_APPROVAL}`,
  },
  'GET /api/approvals': writes,
  'GET /api/attachments/[id]': looksAfter,
  'POST /api/chat': speaks,
  'GET /api/chat/[id]/stream': speaks,
  'POST /api/chat/[id]/cancel': looksAfter,
  'GET /api/message/queue': speaks,
  'POST /api/message/queue': speaks,
  'DELETE /api/message/queue': speaks,
  'POST /api/message/queue/send': speaks,
  'PATCH /api/message/queue/[id]': speaks,
  'DELETE /api/message/queue/[id]': speaks,
  'POST /api/message/queue/[id]/send': speaks,

  'GET /api/content/capabilities': reads,
  'GET /api/content/types': reads,
  'GET /api/content/types/[name]': reads,
  'GET /api/content/tags': reads,
  'GET /api/content/authors': reads,
  'GET /api/content/trash': reads,
  'GET /api/content/planned': reads,
  'GET /api/content/at': reads,
  'POST /api/content/presence': drafts,
  'GET /api/content/redirects': reads,
  'GET /api/content/export': reads,
  'GET /api/sites': signedIn,
  'GET /api/content/site-files': { ...reads, path: '/api/content/site-files?url=https://kiln.example&check=1' },
  'GET /api/content/imports': writes,
  'POST /api/content/imports': writes,
  'GET /api/content/imports/[id]': writes,
  'POST /api/content/imports/[id]/cancel': writes,
  'POST /api/content/imports/[id]/undo': writes,
  'GET /api/content/navigation': reads,
  'PUT /api/content/navigation': writes,
  'GET /api/content/design': reads,
  'PATCH /api/content/design': drafts,
  'POST /api/content/design/publish': writes,
  'GET /api/content/settings': reads,
  'PATCH /api/content/settings': writes,
  'GET /api/content/standing-instructions': reads,
  'PUT /api/content/standing-instructions': writes,
  'GET /api/content/changes': reads,
  'GET /api/content/changes/[id]': reads,
  'POST /api/content/undo': drafts,
  'POST /api/content/batch': drafts,
  'POST /api/content/replace': drafts,
  'POST /api/content/start': writes,
  'POST /api/content/bring-back': drafts,
  'GET /api/content/[collection]': reads,
  'POST /api/content/[collection]': drafts,
  'GET /api/content/[collection]/[ref]': reads,
  'PATCH /api/content/[collection]/[ref]': drafts,
  'DELETE /api/content/[collection]/[ref]': writes,
  'POST /api/content/[collection]/[ref]/publish': writes,
  'POST /api/content/[collection]/[ref]/unpublish': writes,
  'POST /api/content/[collection]/[ref]/schedule': writes,
  'GET /api/content/[collection]/[ref]/comments': drafts,
  'PATCH /api/content/[collection]/[ref]/comments/[comment]': drafts,
  'DELETE /api/content/[collection]/[ref]/comments/[comment]': drafts,
  'GET /api/content/[collection]/[ref]/preview-links': drafts,
  'POST /api/content/[collection]/[ref]/preview-links': drafts,
  'DELETE /api/content/[collection]/[ref]/preview-links/[link]': drafts,
  'POST /api/content/[collection]/[ref]/discard': drafts,
  'POST /api/content/[collection]/[ref]/restore': drafts,
  'POST /api/content/[collection]/[ref]/untrash': writes,
  'GET /api/content/[collection]/[ref]/references': reads,
  'GET /api/content/[collection]/[ref]/revisions': reads,
  'GET /api/content/[collection]/[ref]/validate': reads,
  'GET /api/content/[collection]/[ref]/differences': reads,
  'GET /api/content/[collection]/[ref]/versions': reads,
  'GET /api/content/[collection]/[ref]/versions/[revision]': reads,
  'GET /api/content/media': reads,
  'POST /api/content/media': drafts,
  'POST /api/content/media/from-address': {
    ...writes,
    body: { url: 'http://127.0.0.1:1/a.png', alt: 'A' },
  },
  'GET /api/content/media/uses': reads,
  'GET /api/content/media/[id]': reads,
  'PATCH /api/content/media/[id]': writes,
  'DELETE /api/content/media/[id]': writes,
  'GET /api/content/media/[id]/file': reads,
  'GET /api/content/media/[id]/palette': reads,
  'GET /api/content/media/[id]/references': reads,
  'POST /api/content/media/[id]/replace': writes,
  'POST /api/content/media/[id]/restore': writes,

  'GET /mcp': { ...reads, path: '/mcp' },
  'POST /mcp': { ...reads, path: '/mcp', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },

  'GET /v1/models': { ...completions, path: '/v1/models' },
  'GET /v1/models/[...id]': { ...completions, path: '/v1/models/throughline/offline' },
  'POST /v1/messages': {
    ...completions,
    path: '/v1/messages',
    body: { model: 'throughline/offline', max_tokens: 500, messages: [{ role: 'user', content: 'List the pages' }] },
  },
  'POST /v1/messages/count_tokens': {
    ...completions,
    path: '/v1/messages/count_tokens',
    body: { model: 'throughline/offline', messages: [{ role: 'user', content: 'List the pages' }] },
  },
  'POST /v1/responses': {
    ...completions,
    path: '/v1/responses',
    body: { model: 'throughline/offline', input: 'List the pages' },
  },
  'POST /v1/responses/compact': {
    ...completions,
    path: '/v1/responses/compact',
    body: { model: 'throughline/offline', input: 'List the pages' },
  },
  'GET /v1/responses/[id]': { ...speaks, path: '/v1/responses/{response}' },
  'DELETE /v1/responses/[id]': { ...speaks, path: '/v1/responses/{response}' },
  'POST /v1/chat/completions': {
    ...completions,
    path: '/v1/chat/completions',
    body: { model: 'throughline/offline', messages: [{ role: 'user', content: 'List the pages' }] },
  },
  ...Object.fromEntries(
    ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'].flatMap((method) => [
      [`${method} /api/[...path]`, nowhere],
      [`${method} /v1/[[...path]]`, noV1],
    ]),
  ),
};

/** Every page: who may see it, and where it is. */
export const PAGES: Readonly<Record<string, { readonly needs: Scope | 'public'; readonly path?: string }>> = {
  '/login': { needs: 'public' },
  '/login/new-password': { needs: 'public' },
  '/site/[[...slug]]': { needs: 'public', path: '/site' },
  '/docs/api': { needs: 'public' },
  '/docs/api/shapes': { needs: 'public' },
  '/docs/api/[area]': { needs: 'public', path: '/docs/api/sessions' },
  '/help/[[...page]]': { needs: 'public', path: '/help/faq' },
  '/account': { needs: 'chat' },
  '/preview/[[...slug]]': { needs: 'content:read', path: '/preview' },
  '/': { needs: 'chat' },
  '/c/[sessionId]': { needs: 'chat', path: '/c/{session}' },
  '/library': { needs: 'content:read' },
  '/library/pages': { needs: 'content:read' },
  '/library/changes': { needs: 'content:read' },
  '/oauth/authorize': { needs: 'content:read' },
  '/oauth/tool-servers/[id]': { needs: 'admin', path: '/oauth/tool-servers/mcp_01h0000000000000000000000a' },
  '/library/media': { needs: 'content:read' },
  '/library/messages': { needs: 'content:read' },
  '/library/site': { needs: 'content:read' },
  '/library/design': { needs: 'content:read' },
  '/library/trash': { needs: 'content:read' },
  '/library/import': { needs: 'content:write' },
  '/admin': { needs: 'admin' },
  '/admin/audit': { needs: 'admin' },
  '/admin/costs': { needs: 'admin' },
  '/admin/settings': { needs: 'admin' },
  '/admin/settings/[page]': { needs: 'admin', path: '/admin/settings/people' },
  '/admin/sessions/[id]': { needs: 'admin', path: '/admin/sessions/{session}' },
};
