import { ForbiddenError, UnauthenticatedError } from '#server/core/errors';
import { principalOf, signedInSchema } from '#server/core/admin/people';
import { accountsForPage, passwordAttempt, withCookies } from '#server/http/sign-in-routes';
import { serverText } from '#server/core/messages/server-text';
import { route } from '#server/http/route';
import { signInBody } from '#server/http/schemas/access';

export const POST = route(
  {
    summary: 'Signs in with a password and sets the cookie, or says that a code is needed, too',
    answer: signedInSchema,
    access: 'public',
    body: signInBody,
  },
  async ({ body: { email, password }, services, request, audit }) => {
    const accounts = accountsForPage(services, request);
    const { attempts } = services.limits;
    const attempt = await passwordAttempt(accounts, email, request);
    await attempts.take(attempt);
    try {
      const { person, cookies } = await accounts.signIn(email, password, request.headers);
      await attempts.succeeded(attempt);
      if (!person) return withCookies({ needsCode: true }, cookies);
      await services.audit.record(principalOf(person), 'sign-in', { headers: request.headers });
      return withCookies(person, [...cookies, ...accounts.rememberBrowser(request.headers, email)]);
    } catch (error) {
      if (error instanceof UnauthenticatedError) await audit('sign-in-failed', { actorName: email });
      // The password was correct.
      if (error instanceof ForbiddenError)
        await audit('sign-in-failed', { actorName: email, target: serverText('audit-suspended') });
      throw error;
    }
  },
);
