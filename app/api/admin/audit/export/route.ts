import { auditCsv, auditJson } from '#server/http/downloads/audit-export';
import { textDownload } from '#server/http/downloads/file-response';
import { route } from '#server/http/route';
import { auditExportQuery } from '#server/http/schemas/audit';
import { toJson } from '#server/core/json';
import { content } from '#server/http/schemas/route-answer';

/** The newest entries first, read page by page while they are sent. */
export const GET = route(
  {
    summary: 'The audit log as a file, all entries that match',
    access: 'admin',
    query: auditExportQuery,
    answer: {
      200: [
        content('text/csv', 'One line for each entry.'),
        content('application/json', 'An array of entries, as in the list.'),
      ],
    },
  },
  async ({ query: { format, ...filter }, services, audit }) => {
    // Undefined parameters are not filters.
    const filters = toJson(filter);
    await audit('audit-exported', { details: { format, filter: filters }, isRequired: true });
    const entries = services.audit.each(filter);
    return textDownload('audit-log', format, format === 'csv' ? auditCsv(entries) : auditJson(entries));
  },
);
