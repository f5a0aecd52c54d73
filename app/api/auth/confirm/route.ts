import { withLimitedAttempts } from '#server/http/sign-in-routes';
import { noContent } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { codeBody } from '#server/http/schemas/access';

export const POST = route(
  {
    summary: 'Confirms with a one-time code who is signed in, where a change asks for a fresh sign-in',
    answer: { 204: null },
    access: 'person',
    body: codeBody,
  },
  async ({ body: { code }, services, request, principal }) => {
    await withLimitedAttempts({ services, request, principal }, ({ factors }) =>
      factors.confirmWithCode(request.headers, code),
    );
    return noContent();
  },
);
