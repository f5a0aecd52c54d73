import fc from 'fast-check';
import { BROKEN_BODIES, LETTERS } from '#tests/support/bad-bodies';
import type { RouteRow } from '#tests/support/refusals';
import type { RestRequest } from '#tests/support/rest-client';

/** A field that no body of ours has: with it, nothing may be done, even if all else is valid. */
const UNKNOWN = 'zzz_unknown';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Of pages, which Next answers without a route of ours. */
const PAGES = ['/', '/site', '/preview', '/login', '/library/media', '/admin/settings', '/nowhere', '/_global-error'];

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    '',
    ' ',
    '../../../etc/passwd',
    "' OR 1=1 --",
    '<script>alert(1)</script>',
    '${7*7}',
    '%00',
    '\u202e\u2066\ufeff\u200b',
    'ＡＤＭＩＮ',
    'İ'.repeat(200),
    '👩‍👩‍👧‍👦'.repeat(50),
    'a\u0300'.repeat(500),
    '\ud800',
    'NaN',
    '-0',
    '1e999',
    '[object Object]',
    '__proto__',
    LETTERS.slice(0, 7_000),
  ),
);

const value = fc.oneof(
  { maxDepth: 3 },
  nasty,
  fc.double(),
  fc.maxSafeInteger(),
  fc.boolean(),
  fc.constant(null),
  fc.array(nasty, { maxLength: 5 }),
  fc.dictionary(fc.string({ maxLength: 12 }), nasty, { maxKeys: 4 }),
);

/** What headers may hold without the client refusing to send them. */
const headerText = fc.string({
  unit: fc.constantFrom(...Array.from(' !"#$%&()*+,-./09:;<=>?@AZ[]^_`az{|}~éÿ\t')),
  maxLength: 200,
});

const headers = fc.dictionary(
  fc.constantFrom(
    'accept',
    'accept-encoding',
    'accept-language',
    'cookie',
    'content-type',
    'content-encoding',
    'if-match',
    'if-none-match',
    'last-event-id',
    'next-action',
    'next-router-state-tree',
    'range',
    'rsc',
    'traceparent',
    'user-agent',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-http-method-override',
    'x-middleware-subrequest',
    'x-nonce',
    'x-request-id',
    'x-throughline-client',
  ),
  fc.oneof(headerText, fc.constantFrom('text/event-stream', 'gzip', 'bytes=0-', '1', 'a'.repeat(4_000))),
  { maxKeys: 4 },
);

/** A body of the route with something in it spoiled, and always with what no body may have. */
function spoiled(body: object): fc.Arbitrary<unknown> {
  const keys = [...Object.keys(body), 'id', 'message', 'title', 'messages', 'limit'];
  return fc.record({ key: fc.constantFrom(...keys), value }).map((change) => ({
    ...body,
    [change.key]: change.value,
    [UNKNOWN]: 1,
  }));
}

/** One for `/v1`, which overlooks fields that it does not know: what it is about is never right. */
function spoiledConversation(body: object): fc.Arbitrary<unknown> {
  const keys = [
    'model',
    'stream',
    'tools',
    'tool_choice',
    'stop',
    'n',
    'max_tokens',
    'temperature',
    'response_format',
    'reasoning',
    'text',
    'system',
    'previous_response_id',
  ];
  const messages = fc.array(message, { minLength: 1 });
  // A text would be a whole conversation.
  const [about, wrong] =
    'input' in body ? ['input', fc.oneof(fc.double(), messages)] : ['messages', fc.oneof(value, messages)];
  return fc
    .record({ key: fc.constantFrom(...keys), value, wrong })
    .map((change) => ({ ...body, [change.key]: change.value, [about]: change.wrong }));
}

/** With an unknown role. */
const message = fc.record({ role: nasty, content: value, tool_calls: value }, { requiredKeys: ['role'] });

const brokenBody = fc.oneof(
  fc.constantFrom(
    ...Object.values(BROKEN_BODIES).filter((body) => body.length < 50_000 && body !== '[]' && body !== 'null'),
  ),
  fc.uint8Array({ minLength: 1, maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
  // Deep JSON, closed and not.
  fc.integer({ min: 100, max: 4_000 }).map((depth) => '{"a":['.repeat(depth) + '1' + ']}'.repeat(depth)),
  fc.integer({ min: 100, max: 20_000 }).map((depth) => '['.repeat(depth)),
);

const query = fc
  .array(fc.tuple(fc.constantFrom('limit', 'cursor', 'q', 'sessionId', 'dryRun', 'modelId', 'x'), nasty), {
    maxLength: 3,
  })
  .map((pairs) => pairs.map(([name, text]) => `${name}=${encodeURIComponent(text.toWellFormed())}`).join('&'));

const pathPiece = nasty.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 6_000));

/** A path with one of its ids, or an end, made up: it names nothing that exists. */
function strangePath(path: string): fc.Arbitrary<string> {
  const pieces = path.split('/');
  return fc.tuple(fc.integer({ min: 2, max: pieces.length }), pathPiece).map(([at, piece]) => {
    const strange = `zz${piece}`;
    return pieces.with(Math.min(at, pieces.length - 1), strange).join('/');
  });
}

const conversation = { model: 'throughline/offline', messages: [{ role: 'user', content: 'Words' }] };
const items = { model: 'throughline/offline', input: [{ role: 'user', content: 'Words' }] };

/** The routes of /v1 that take a conversation, with a body that is right. */
const V1_ROUTES: readonly { readonly path: string; readonly body: object }[] = [
  { path: '/v1/chat/completions', body: conversation },
  { path: '/v1/responses', body: items },
  { path: '/v1/responses/compact', body: items },
  { path: '/v1/messages', body: { ...conversation, max_tokens: 100 } },
  { path: '/v1/messages/count_tokens', body: conversation },
];

type HostileRow = Pick<RouteRow, 'path' | 'body' | 'wrongBytes'>;

const ENDPOINT: readonly { method: string; row: HostileRow }[] = [
  { method: 'GET', row: { path: '/v1/models' } },
  { method: 'GET', row: { path: '/v1/models/throughline/offline' } },
  { method: 'POST', row: { path: '/mcp', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } } },
  ...V1_ROUTES.map((row) => ({ method: 'POST', row })),
];

/** Bodies for the routes of /v1 that none of them may accept. */
export function malformedConversations(count: number): { readonly path: string; readonly body: unknown }[] {
  const ofRoute = fc
    .constantFrom(...V1_ROUTES)
    .chain(({ path, body }) =>
      fc.record({ path: fc.constant(path), body: fc.oneof(brokenBody, spoiledConversation(body)) }),
    );
  return fc.sample(ofRoute, count);
}

/**
 * Requests that a server has to survive, and that must change nothing: reads with anything in them, writes with what
 * is not a body of theirs or for what is not there.
 * One in ten goes to a page, and as many to `/v1` and `/mcp`.
 * @param rows routes by name (`POST /api/sessions`), with a path and a body that are right
 */
export function hostileRequests(rows: readonly { method: string; row: HostileRow }[], count: number): RestRequest[] {
  const ofRow = fc
    .oneof({ weight: 9, arbitrary: fc.constantFrom(...rows) }, fc.constantFrom(...ENDPOINT))
    .chain(({ method, row }) => {
      const isRead = method === 'GET';
      const withQuery = query.map((text) => (text === '' ? row.path : `${row.path}?${text}`));
      const wrongBody = row.wrongBytes
        ? fc.constantFrom(...row.wrongBytes)
        : fc.oneof(brokenBody, (row.path.startsWith('/v1/') ? spoiledConversation : spoiled)(row.body ?? {}));
      const wrongPath = strangePath(row.path);
      return fc.oneof(
        isRead
          ? fc.record({ method: fc.constant(method), path: withQuery, headers })
          : fc.record({ method: fc.constant(method), path: withQuery, headers, body: wrongBody }),
        fc.record({ method: fc.constantFrom(...METHODS), path: wrongPath, headers, body: wrongBody }),
        fc.record({ method: fc.constant(isRead ? 'POST' : 'PUT'), path: wrongPath, headers, body: brokenBody }),
      );
    });
  const ofPage = fc.record({ method: fc.constantFrom(...METHODS, 'TRACE'), path: fc.constantFrom(...PAGES), headers });
  return fc.sample(fc.oneof({ arbitrary: ofRow, weight: 9 }, { arbitrary: ofPage, weight: 1 }), count);
}
