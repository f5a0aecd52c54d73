import { setCookies, withLimitedAttempts } from '#server/http/sign-in-routes';
import { noContent } from '#server/http/json-responses';
import { serverText } from '#server/core/messages/server-text';
import { route } from '#server/http/route';
import { codeBody } from '#server/http/schemas/access';

export const POST = route(
  {
    summary: 'Asks for one-time codes from now on, once a first one is right',
    answer: { 204: null },
    access: 'person',
    isFresh: true,
    body: codeBody,
  },
  async ({ body: { code }, services, request, principal, audit }) => {
    const cookies = await withLimitedAttempts({ services, request, principal }, ({ factors }) =>
      factors.confirmTotp(request.headers, code),
    );
    await audit('second-factor-added', { target: serverText('audit-one-time-codes'), details: { kind: 'totp' } });
    return setCookies(noContent(), cookies);
  },
);
