import { personSchema } from '#server/core/admin/people';
import { signInWith } from '#server/http/sign-in-routes';
import { route } from '#server/http/route';
import { signInPasskeyBody } from '#server/http/schemas/access';

/** A passkey replaces password and code. */
export const POST = route(
  {
    summary: 'Signs in with a passkey and sets the cookie',
    answer: personSchema,
    access: 'public',
    body: signInPasskeyBody,
  },
  async ({ body: { answer }, services, request, audit }) =>
    signInWith(
      { services, request, audit },
      'passkey',
      ({ factors }) => factors.ownerOfPasskey(answer),
      ({ factors }) => factors.signInWithPasskey(request.headers, answer),
    ),
);
