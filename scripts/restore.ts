import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { auditCommand } from '#scripts/lib/audit-command';
import { printProgress } from '#scripts/lib/copy-progress';
import { exitWithMessage, readEnvironment } from '#scripts/lib/process';
import { projectPath } from '#scripts/lib/project';
import { sealForServer } from '#scripts/lib/seal-for-server';
import { restoreDatabase } from '#server/platform/database/backup';
import { openDatabase } from '#server/platform/database/database';
import { databaseFileOf } from '#server/platform/database/file-connection';
import { restoreToServer } from '#server/platform/database/server-backup';

/**
 * `npm run restore -- <file>`: replaces the embedded database by a backup and keeps the replaced database next to it.
 * `npm run restore -- <file> --to <url>`: fills an empty database server from a backup.
 */
try {
  const env = readEnvironment();
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { to: { type: 'string' } } });
  const [backup, ...more] = positionals;
  if (backup === undefined || more.length > 0)
    throw new Error('Which one? npm run restore -- backups/throughline-....db [--to http://database-server:8080]');
  const migrationsFolder = projectPath('drizzle');
  if (values.to === undefined) await restoreFile(env.DATABASE_URL, backup);
  else await restoreTo(values.to, backup);

  async function restoreFile(url: string, file: string): Promise<void> {
    const { keptAs } = await restoreDatabase(url, resolve(file), { migrationsFolder, now: Date.now() });
    const database = await openDatabase({ url, migrationsFolder });
    await auditCommand(database, 'restore', 'database-restored', { target: resolve(file), details: { keptAs } });
    await database.close();
    console.log(`Restored ${file}.${keptAs === null ? '' : ` What was there before is kept as ${keptAs}.`}`);
    const target = databaseFileOf(url);
    if (process.getuid?.() === 0 && statSync(target).uid === 0)
      console.log(
        `It belongs to root. Where the server runs as somebody else: chown -R <user> ${dirname(resolve(target))}`,
      );
  }

  async function restoreTo(url: string, file: string): Promise<void> {
    if (!/^(libsql|https?):\/\//.test(url))
      throw new Error(
        '--to names a database server: libsql://, https:// or http://. To restore a file, set DATABASE_URL.',
      );
    const address = { url, authToken: env.DATABASE_AUTH_TOKEN };
    const prepare = async (copy: Parameters<typeof sealForServer>[0]) => {
      for (const secret of await sealForServer(copy, env)) console.log(`It cannot be read, enter it again: ${secret}`);
    };
    await restoreToServer(address, resolve(file), { migrationsFolder, prepare, onProgress: printProgress() });
    // The address may contain a token.
    console.log(
      `Restored ${file} at ${new URL(url).host}. Set DATABASE_URL to this server on all instances, with this AUTH_SECRET.`,
    );
    const database = await openDatabase({ ...address, migrationsFolder });
    await auditCommand(database, 'restore', 'database-restored', { target: resolve(file), details: { keptAs: null } });
    await database.close();
  }
} catch (error) {
  exitWithMessage(error);
}
