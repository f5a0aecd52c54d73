import { personSchema } from '#server/core/admin/people';
import { signInWith } from '#server/http/sign-in-routes';
import { route } from '#server/http/route';
import { signInCodeBody } from '#server/http/schemas/access';

/** For callers with the cookie of a correct password. */
export const POST = route(
  {
    summary: 'Signs in with a one-time code, after the password',
    answer: personSchema,
    access: 'public',
    body: signInCodeBody,
  },
  async ({ body: { code, isRecovery }, services, request, audit }) =>
    signInWith(
      { services, request, audit },
      isRecovery ? 'recovery code' : 'code',
      ({ factors }) => factors.waitingForCode(request.headers),
      ({ factors }) => factors.signInWithCode(request.headers, code, isRecovery),
    ),
);
