import { presenceBody, presentSchema } from '#server/core/site/presence';
import { route } from '#server/http/route';

export const POST = route(
  {
    summary: 'Says which page is open in a window and which field is written in; tells who else is there',
    answer: presentSchema,
    access: 'content:draft',
    body: presenceBody,
  },
  async ({ body, principal, services: { presence, requireSite } }) =>
    presence.report(body, principal.userId, requireSite()),
);
