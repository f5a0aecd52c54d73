import { z } from 'zod';
import { ACCOUNT_PATH } from '#components/desk/navigation';
import { requireOwnOrigin } from '#server/auth/client';
import { requestOrigin } from '#server/http/caller';
import { rpcErrorResponse } from '#server/http/error-response';
import { route } from '#server/http/route';
import { content } from '#server/http/schemas/answer';

/** 4 MB: a page of the largest size, and room to spare. */
const BODY_LIMIT = 4_000_000;

/** GET and DELETE are answered with 405: there is nothing to listen to between two requests, and no session to end. */
export const POST = route(
  {
    access: 'content:read',
    summary: 'The tools and pages of the site for other assistants (Model Context Protocol, Streamable HTTP)',
    answer: {
      200: [z.looseObject({ jsonrpc: z.literal('2.0') }), content('text/event-stream', 'Progress, then the answer.')],
      202: null,
    },
    body: z.unknown(),
    bodyLimit: BODY_LIMIT,
    refusal: rpcErrorResponse,
  },
  async ({ body, principal, request, lapsed, services: { accounts, mcpEndpoint, requireSite, at } }) => {
    // In local mode there is no name but the one that was asked for, and who asks has been looked at.
    const origin = accounts?.origin ?? requestOrigin(request.headers) ?? '';
    requireOwnOrigin(request.headers, origin);
    const endpoint = await mcpEndpoint();
    const siteId = requireSite();
    // Each tool narrows it to what the key may do.
    const site = { siteId, content: at(siteId).content };
    const decideAt = `${origin}${ACCOUNT_PATH}`;
    return endpoint.answer({ caller: principal, site, request, lapsed, message: body, decideAt });
  },
);
