import { parseArgs } from 'node:util';
import { auditCommand } from '#scripts/lib/audit-command';
import { exitWithMessage, readEnvironment } from '#scripts/lib/process';
import { openDatabase } from '#server/platform/database/database';
import { spaceForVacuum, vacuumDatabase } from '#server/platform/database/vacuum';

/**
 * `npm run vacuum [-- --dry-run]`: rewrites the embedded database without its free pages, in which deleted text can
 * still be read, and prints the disk space that this needs.
 */
try {
  const { DATABASE_URL } = readEnvironment();
  const { 'dry-run': isDryRun } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } }).values;
  const { size, needed, free } = await spaceForVacuum(DATABASE_URL);
  console.log(
    `The database has ${inMb(size)}. Writing it anew needs ${inMb(needed)} of disk space; ${inMb(free)} are free.`,
  );
  if (!isDryRun) {
    await vacuumDatabase(DATABASE_URL);
    const after = (await spaceForVacuum(DATABASE_URL)).size;
    console.log(`Done: it has ${inMb(after)} now. Backups made before still contain what was deleted.`);
    const database = await openDatabase({ url: DATABASE_URL, older: 'keep' });
    await auditCommand(database, 'vacuum', 'database-vacuumed', { details: { before: size, after } });
    await database.close();
  }
} catch (error) {
  exitWithMessage(error);
}

function inMb(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
