import { budgetsSchema } from '#server/core/admin/spending';
import { allows } from '#server/core/admin/access-rights';
import { route } from '#server/http/route';
import { aboutSessionQuery } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary: 'The budgets that concern the caller, and one of their conversations, the fullest first',
    answer: budgetsSchema,
    access: 'chat',
    query: aboutSessionQuery,
  },
  async ({ query, services, principal, ownSession }) => {
    const session = query.sessionId === undefined ? null : await ownSession(query.sessionId);
    const of = { userId: principal.userId, sessionId: session?.id ?? null };
    return { items: await services.spending.budgets(of, allows(principal.scopes, 'admin')) };
  },
);
