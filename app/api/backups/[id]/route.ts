import { databaseDownload, SQLITE_TYPE } from '#server/http/downloads/file-response';
import { route } from '#server/http/route';
import { backupParams } from '#server/http/schemas/backups';
import { content } from '#server/http/schemas/route-answer';

export const GET = route(
  {
    summary: 'A prepared copy of the database; it is deleted after the download',
    answer: {
      200: content(SQLITE_TYPE, 'A SQLite database, for `npm run restore`. Stored secrets in it are encrypted.'),
    },
    access: 'administrator',
    isFresh: true,
    params: backupParams,
  },
  async ({ params: { id }, services: { backupDownloads }, audit }) => {
    const { name, bytes } = await backupDownloads.find(id);
    await audit('database-downloaded', { target: `${name}.db`, details: { bytes }, isRequired: true });
    return databaseDownload(name, bytes, await backupDownloads.read(id));
  },
);
