import { personSchema } from '#server/core/people';
import { enterWith } from '#server/http/sign-in-routes';
import { route } from '#server/http/route';
import { signInCodeBody } from '#server/http/schemas/access';

/** Whoever has the cookie of a right password. */
export const POST = route(
  {
    summary: 'Signs in with a one-time code, after the password',
    answer: personSchema,
    access: 'public',
    body: signInCodeBody,
  },
  async ({ body: { code, isRecovery }, services, request, audit }) =>
    enterWith({ services, request, audit }, isRecovery ? 'recovery code' : 'code', ({ factors }) =>
      factors.signInWithCode(request.headers, code, isRecovery),
    ),
);
