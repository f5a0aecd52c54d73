import { mailTestSchema } from '#server/core/settings-report';
import { route } from '#server/http/route';
import { forgottenBody } from '#server/http/schemas/access';

export const POST = route(
  { summary: 'Sends a test mail to an address', answer: mailTestSchema, access: 'administrator', body: forgottenBody },
  async ({ body: { email }, services }) => services.testMail(email),
);
