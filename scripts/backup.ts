import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { auditCommand } from '#scripts/lib/audit-command';
import { exitWithMessage, readEnvironment } from '#scripts/lib/process';
import { messageOf } from '#server/core/errors';
import { printProgress } from '#scripts/lib/copy-progress';
import { backUpDatabase } from '#server/platform/database/backup';
import { openDatabase } from '#server/platform/database/database';
import type { ServerAddress } from '#server/platform/database/remote-connection';
import { backUpServer } from '#server/platform/database/server-backup';

/**
 * `npm run backup -- [file]`: backs up the whole database, a file or one on a server, also while it is in use. With
 * `--for-download`, as the server calls it, there is no key file and no entry in the audit log.
 */
try {
  const { DATABASE_URL, DATABASE_AUTH_TOKEN } = readEnvironment();
  const address = { url: DATABASE_URL, authToken: DATABASE_AUTH_TOKEN };
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { 'for-download': { type: 'boolean', default: false } },
  });
  const [file, ...more] = positionals;
  if (more.length > 0) throw new Error('One file, in quotes if its name has spaces: npm run backup -- [file]');
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const target = resolve(file ?? `backups/throughline-${time}.db`);
  const { bytes, keyFile } = DATABASE_URL.startsWith('file:')
    ? await backUpDatabase(DATABASE_URL, target, { withKey: !values['for-download'] })
    : await backUpServer(address, target, printProgress());
  console.log(`Saved ${target} (${(bytes / 1_000_000).toFixed(1)} MB). Restore it with: npm run restore -- ${target}`);
  if (keyFile !== null) {
    console.log(
      `The key of its stored secrets is in ${keyFile}: keep it somewhere else, and put it beside to restore.`,
    );
  }
  if (!values['for-download']) await audit(address, target, bytes);
} catch (error) {
  exitWithMessage(error);
}

/** Never throws: the backup exists, even if the database accepts no write because its disk is full. */
async function audit(address: ServerAddress, target: string, bytes: number): Promise<void> {
  try {
    // Does not migrate: a backup precedes an update, and an older server may be running.
    const database = await openDatabase({ ...address, older: 'keep' });
    await auditCommand(database, 'backup', 'database-backed-up', { target, details: { bytes } });
    await database.close();
  } catch (error) {
    console.error(`The backup is whole, but its entry in the audit log may be missing: ${messageOf(error)}`);
  }
}
