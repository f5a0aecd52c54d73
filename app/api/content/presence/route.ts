import { hereBody, presentSchema } from '#server/core/presence';
import { route } from '#server/http/route';

export const POST = route(
  {
    summary: 'Says which page is open in a window and which field is written in; tells who else is there',
    answer: presentSchema,
    access: 'content:draft',
    body: hereBody,
  },
  async ({ body, principal, services: { presence, requireSite } }) =>
    presence.note(body, principal.userId, requireSite()),
);
