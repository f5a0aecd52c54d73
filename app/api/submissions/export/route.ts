import { requireBuiltIn } from '#server/http/admission';
import { textDownload } from '#server/http/downloads/file-response';
import { route } from '#server/http/route';
import { content } from '#server/http/schemas/route-answer';
import { exportSubmissionsQuery } from '#server/http/schemas/submissions';
import { submissionsCsv } from '#server/http/downloads/submissions-csv';

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
    return textDownload(
      'messages',
      'csv',
      submissionsCsv(() => services.submissions.each(filter)),
    );
  },
);
