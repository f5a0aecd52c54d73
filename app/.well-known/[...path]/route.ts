import { NotFoundError } from '#server/core/errors';
import { oauthErrorResponse } from '#server/http/oauth/oauth-error';
import { requireOAuth } from '#server/http/oauth/oauth-routes';
import { route } from '#server/http/route';
import { oauthAnswer, wellKnownParams } from '#server/http/schemas/oauth';

/** Metadata with which programs connect themselves to `/mcp`. Other addresses answer in JSON, which MCP clients expect. */
export const GET = route(
  {
    summary: 'Metadata of OAuth for /mcp (RFC 9728, RFC 8414)',
    access: 'public',
    params: wellKnownParams,
    answer: { 200: oauthAnswer },
    refusal: oauthErrorResponse,
  },
  async ({ params, services }) => {
    const path = params.path.join('/');
    if (path === 'oauth-protected-resource' || path === 'oauth-protected-resource/mcp')
      return requireOAuth(services).resourceMetadata();
    if (path === 'oauth-authorization-server') return requireOAuth(services).serverMetadata();
    throw new NotFoundError('address', `/.well-known/${path.slice(0, 200)}`);
  },
);
