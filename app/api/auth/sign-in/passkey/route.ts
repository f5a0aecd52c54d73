import { personSchema } from '#server/core/people';
import { enterWith } from '#server/http/sign-in-routes';
import { route } from '#server/http/route';
import { signInPasskeyBody } from '#server/http/schemas/access';

/** A passkey stands for password and code. */
export const POST = route(
  {
    summary: 'Signs in with a passkey and sets the cookie',
    answer: personSchema,
    access: 'public',
    body: signInPasskeyBody,
  },
  async ({ body: { answer }, services, request, audit }) =>
    enterWith({ services, request, audit }, 'passkey', ({ factors }) =>
      factors.signInWithPasskey(request.headers, answer),
    ),
);
