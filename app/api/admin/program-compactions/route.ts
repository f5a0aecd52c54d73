import { programCompactionsSchema } from '#server/core/admin/program-compactions';
import { route } from '#server/http/route';

export const GET = route(
  {
    summary: 'The newest compactions of conversations that other programs store and send to /v1',
    answer: programCompactionsSchema,
    access: 'admin',
  },
  async ({ services }) => ({ items: await services.completions.compactions() }),
);
