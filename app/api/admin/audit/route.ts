import { auditPageAnswer } from '#server/core/admin/audit';
import { route } from '#server/http/route';
import { auditQuery } from '#server/http/schemas/audit';

export const GET = route(
  {
    summary: 'The audit log, the newest entries first',
    access: 'admin',
    query: auditQuery,
    answer: auditPageAnswer,
  },
  async ({ query, services }) => services.audit.list(query),
);
