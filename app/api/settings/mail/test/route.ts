import { mailTestSchema } from '#server/core/admin/settings-report';
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
  async ({ body: { email }, services, audit }) => {
    await audit('mail-tested', { target: email });
    return services.testMail(email);
  },
);
