import { newTotpSchema } from '#server/core/admin/people';
import { setCookies, withLimitedAttempts } from '#server/http/sign-in-routes';
import { created, noContent } from '#server/http/json-responses';
import { serverText } from '#server/core/messages/server-text';
import { route } from '#server/http/route';
import { presentPasswordBody } from '#server/http/schemas/access';

/** A second setup replaces the previous secret. */
export const POST = route(
  {
    summary: 'Makes a secret for an app with one-time codes; a first code confirms it',
    answer: { 201: newTotpSchema },
    access: 'person',
    isFresh: true,
    body: presentPasswordBody,
  },
  async ({ body: { password }, services, request, principal }) =>
    created(
      await withLimitedAttempts({ services, request, principal }, ({ factors }) =>
        factors.beginTotp(request.headers, password),
      ),
    ),
);

export const DELETE = route(
  {
    summary: 'Asks for no one-time codes any more',
    answer: { 204: null },
    access: 'person',
    isFresh: true,
    body: presentPasswordBody,
  },
  async ({ body: { password }, services, request, principal, audit }) => {
    const cookies = await withLimitedAttempts({ services, request, principal }, ({ factors }) =>
      factors.endTotp(request.headers, password),
    );
    await audit('second-factor-removed', { target: serverText('audit-one-time-codes'), details: { kind: 'totp' } });
    return setCookies(noContent(), cookies);
  },
);
