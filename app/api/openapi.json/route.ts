import { createHash } from 'node:crypto';
import type { ApiDocument } from '#server/core/api-document';
import { withoutSecurity } from '#server/http/openapi/openapi-document';
import { content } from '#server/http/schemas/route-answer';
import { once } from '#server/core/async';
import { route } from '#server/http/route';
import { apiDocument } from '#app/api-document';

/** A document as text, with its hash. */
function serialized(document: ApiDocument) {
  const text = JSON.stringify(document);
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}
const forAccounts = once(async () => serialized(await apiDocument()));
const forLocalMode = once(async () => serialized(withoutSecurity(await apiDocument())));

export const GET = route(
  {
    summary: 'This document',
    answer: { 200: content('application/json', 'OpenAPI 3.0.') },
    access: 'public',
  },
  async ({ request, services: { accounts } }) => {
    const { text, etag } = await (accounts ? forAccounts() : forLocalMode());
    const headers = { etag, 'cache-control': 'public, no-cache' };
    if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers });
    return new Response(text, { headers: { ...headers, 'content-type': 'application/json' } });
  },
);
