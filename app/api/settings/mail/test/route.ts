import { mailTestSchema } from '#server/core/admin/settings-report';
import { meOf } from '#server/http/sign-in-routes';
import { route } from '#server/http/route';
import { forgottenBody } from '#server/http/schemas/access';

export const POST = route(
  {
    summary: 'Sends a test mail to an address',
    answer: mailTestSchema,
    access: 'administrator',
    isFresh: true,
    body: forgottenBody,
  },
  async ({ body: { email }, services, principal, audit }) => {
    await audit('mail-tested', { target: email });
    const { language } = await meOf(services, principal);
    return services.testMail(email, language);
  },
);
