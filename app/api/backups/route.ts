import { preparedBackupSchema } from '#server/core/admin/backups';
import { route } from '#server/http/route';

/** Copying takes seconds to minutes, so it is separate from the download, which begins at once. */
export const POST = route(
  {
    summary: 'Makes a copy of the whole database, to be downloaded within ten minutes',
    answer: preparedBackupSchema,
    access: 'administrator',
    isFresh: true,
  },
  async ({ services: { backupDownloads }, request }) => backupDownloads.prepare(request.signal),
);
