import { createHash } from 'node:crypto';
import { content } from '#server/http/schemas/answer';
import { apiDocumentText } from '#server/http/openapi-document';
import { route } from '#server/http/route';

const etag = `"${createHash('sha256').update(apiDocumentText).digest('base64url').slice(0, 22)}"`;

export const GET = route(
  {
    summary: 'This document',
    answer: { 200: content('application/json', 'OpenAPI 3.1.') },
    access: 'public',
  },
  async ({ request }) => {
    const headers = { etag, 'cache-control': 'public, no-cache' };
    if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers });
    return new Response(apiDocumentText, { headers: { ...headers, 'content-type': 'application/json' } });
  },
);
