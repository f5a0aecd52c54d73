import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { auditCommand } from '#scripts/lib/audit-command';
import { exitWithMessage, readEnvironment } from '#scripts/lib/process';
import { projectPath } from '#scripts/lib/project';
import { restoreDatabase } from '#server/platform/database/backup';
import { openDatabase } from '#server/platform/database/database';
import { databaseFileOf } from '#server/platform/database/file-connection';

/**
 * `npm run restore -- <file>`: replaces the embedded database by a backup and keeps the replaced database next to it.
 */
try {
  const { DATABASE_URL } = readEnvironment();
  const [, , backup] = process.argv;
  if (backup === undefined) throw new Error('Which one? npm run restore -- backups/throughline-....db');
  const migrationsFolder = projectPath('drizzle');
  const { keptAs } = await restoreDatabase(DATABASE_URL, resolve(backup), { migrationsFolder, now: Date.now() });
  const database = await openDatabase({ url: DATABASE_URL, migrationsFolder });
  await auditCommand(database, 'restore', 'database-restored', { target: resolve(backup), details: { keptAs } });
  await database.close();
  console.log(`Restored ${backup}.${keptAs === null ? '' : ` What was there before is kept as ${keptAs}.`}`);
  const file = databaseFileOf(DATABASE_URL);
  if (process.getuid?.() === 0 && statSync(file).uid === 0)
    console.log(
      `It belongs to root. Where the server runs as somebody else: chown -R <user> ${dirname(resolve(file))}`,
    );
} catch (error) {
  exitWithMessage(error);
}
