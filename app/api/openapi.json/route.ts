import { createHash } from 'node:crypto';
import { content } from '#server/http/schemas/route-answer';
import { once } from '#server/core/async';
import { route } from '#server/http/route';
import { apiDocument } from '#app/api-document';

/** The document as text, with its hash. */
const serialized = once(async () => {
  const text = JSON.stringify(await apiDocument());
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
});

export const GET = route(
  {
    summary: 'This document',
    answer: { 200: content('application/json', 'OpenAPI 3.1.') },
    access: 'public',
  },
  async ({ request }) => {
    const { text, etag } = await serialized();
    const headers = { etag, 'cache-control': 'public, no-cache' };
    if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers });
    return new Response(text, { headers: { ...headers, 'content-type': 'application/json' } });
  },
);
