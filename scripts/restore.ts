import { resolve } from 'node:path';
import { readEnvironment } from '#scripts/lib/environment';
import { exitWithMessage } from '#scripts/lib/exit-with-message';
import { projectPath } from '#scripts/lib/project';
import { restoreDatabase } from '#server/store/backup';

/** `npm run restore -- <file>`: a backup takes the place of the embedded database, which is kept beside it. */
try {
  const { DATABASE_URL } = readEnvironment();
  const [, , backup] = process.argv;
  if (backup === undefined) throw new Error('Which one? npm run restore -- backups/throughline-....db');
  const { keptAs } = await restoreDatabase(DATABASE_URL, resolve(backup), {
    migrationsFolder: projectPath('drizzle'),
    now: Date.now(),
  });
  console.log(`Restored ${backup}.${keptAs === null ? '' : ` What was there before is kept as ${keptAs}.`}`);
} catch (error) {
  exitWithMessage(error);
}
