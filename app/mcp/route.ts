import { z } from 'zod';
import { ACCOUNT_PATH } from '#components/workspace/navigation.ts';
import { requireOwnOrigin } from '#server/platform/auth/same-origin';
import { MethodNotAllowedError } from '#server/core/errors';
import { originOf } from '#server/http/request-origin';
import { rpcErrorResponse } from '#server/http/rpc-error';
import { route } from '#server/http/route';
import { services } from '#server/services';
import { content } from '#server/http/schemas/route-answer';

/** Maximum size of a body: more than a page of the largest size needs. */
const MCP_BODY_BYTES = 4_000_000;
/** Maximum number of JSON values in a body, the same as in the largest edit over REST. */
const MCP_BODY_VALUES = 20_000;

/** Without the services, the error is that they could not start. */
async function refuse(error: unknown, { headers }: Request): Promise<Response> {
  const sentToken = /^Bearer /i.test(headers.get('authorization') ?? '');
  try {
    const { oauth } = await services();
    return rpcErrorResponse(error, oauth?.metadataAddress ?? null, sentToken);
  } catch {
    return rpcErrorResponse(error, null, sentToken);
  }
}

/**
 * No events are sent between two requests, so that GET and HEAD are refused (2025-11-25, basic/transports, "Listening for
 * Messages from the Server"). A client without a token learns from the refusal how to sign in: Gemini CLI asks with HEAD.
 */
export const GET = route(
  {
    access: 'content:read',
    summary: 'Refused: there are no events between two requests',
    answer: {},
    acceptsOAuth: true,
    refusal: async (error, request) => {
      const response = await refuse(error, request);
      if (response.status === 405) response.headers.set('allow', 'POST');
      return response;
    },
  },
  () => Promise.reject(new MethodNotAllowedError(['POST'])),
);

/** DELETE is answered with 405: no session exists to end. */
export const POST = route(
  {
    access: 'content:read',
    summary: 'The tools and pages of the site for other assistants (Model Context Protocol, Streamable HTTP)',
    answer: {
      200: [z.looseObject({ jsonrpc: z.literal('2.0') }), content('text/event-stream', 'Progress, then the answer.')],
      202: null,
    },
    body: z.unknown(),
    bodyLimit: MCP_BODY_BYTES,
    bodyValues: MCP_BODY_VALUES,
    acceptsOAuth: true,
    refusal: refuse,
  },
  async ({ body, principal, request, lapsed, services: { accounts, mcpEndpoint, requireSite, at } }) => {
    const origin = originOf({ accounts }, request);
    requireOwnOrigin(request.headers, origin);
    const endpoint = await mcpEndpoint();
    const siteId = requireSite();
    // Each tool limits its access further to the scopes of the key.
    const site = { siteId, content: at(siteId).content };
    const decideAt = `${origin}${ACCOUNT_PATH}`;
    return endpoint.answer({ caller: principal, site, request, lapsed, message: body, decideAt });
  },
);
