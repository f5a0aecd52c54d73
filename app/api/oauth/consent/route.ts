import { ConflictError, InvalidInputError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import { OAuthError } from '#server/core/oauth/oauth-error';
import { requireFresh } from '#server/http/admission';
import { requireOAuth } from '#server/http/oauth/oauth-routes';
import { route } from '#server/http/route';
import { requireAccounts } from '#server/http/sign-in-routes';
import { consentAnswer, consentBody } from '#server/http/schemas/oauth';

export const POST = route(
  {
    summary: 'Connects a program to /mcp, or refuses it: the decision of the page /oauth/authorize',
    access: 'person',
    body: consentBody,
    answer: consentAnswer,
  },
  async ({ body, principal, services, audit }) => {
    requireAccounts(services);
    // As for an API key: what the program may do outlives the session.
    if (body.isAllowed) requireFresh(principal);
    // The page may be older than the sign-in of the browser.
    if (body.userId !== principal.userId) throw new ConflictError(serverText('oauth-other-person'));
    const { redirectTo, client, grant } = await requireOAuth(services).decide(principal, body).catch(asInvalidInput);
    if (grant)
      await audit('key-created', {
        target: client.name,
        details: {
          keyId: grant.id,
          scopes: [...grant.scopes],
          oauthClientId: client.id,
          sentTo: redirectTo.split('?')[0] ?? '',
        },
      });
    return { redirectTo };
  },
);

function asInvalidInput(error: unknown): never {
  throw error instanceof OAuthError ? new InvalidInputError(error.message) : error;
}
