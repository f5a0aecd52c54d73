import { signInsAnswer } from '#server/core/admin/people';
import { requireAccounts } from '#server/http/sign-in-routes';
import { route } from '#server/http/route';

export const GET = route(
  { summary: 'The browsers in which you are signed in', answer: signInsAnswer, access: 'person' },
  async ({ services, request }) => ({ items: await requireAccounts(services).signIns(request.headers) }),
);
