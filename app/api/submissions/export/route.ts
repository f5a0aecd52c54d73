import { requireBuiltIn } from '#server/http/caller';
import { exportResponse } from '#server/http/export';
import { route } from '#server/http/route';
import { content } from '#server/http/schemas/answer';
import { exportSubmissionsQuery } from '#server/http/schemas/submissions';
import { submissionsAsCsv } from '#server/http/csv';

export const GET = route(
  {
    summary: 'What visitors sent, as a table (CSV)',
    answer: { 200: content('text/csv', 'One line for each, a column for each label.') },
    access: 'person',
    query: exportSubmissionsQuery,
  },
  async ({ query: { unread, ...query }, services, principal, audit }) => {
    requireBuiltIn(principal);
    const filter = { ...query, unread: unread === '1' };
    await audit('submissions-exported', {});
    return exportResponse(
      'messages',
      'csv',
      submissionsAsCsv(() => services.submissions.each(filter)),
    );
  },
);
