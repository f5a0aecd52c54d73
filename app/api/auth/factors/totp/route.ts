import { newTotpSchema } from '#server/core/people';
import { setCookies, withPassword } from '#server/http/sign-in-routes';
import { created, noContent } from '#server/http/schemas/answer';
import { route } from '#server/http/route';
import { presentPasswordBody } from '#server/http/schemas/access';

/** Begun anew, the secret of before is gone. */
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
      await withPassword({ services, request, principal }, ({ factors }) =>
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
    const cookies = await withPassword({ services, request, principal }, ({ factors }) =>
      factors.endTotp(request.headers, password),
    );
    await audit('second-factor-removed', { target: 'one-time codes', details: { kind: 'totp' } });
    return setCookies(noContent(), cookies);
  },
);
