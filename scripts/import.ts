import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { auditCommand } from '#scripts/lib/audit-command';
import { exitWithMessage } from '#scripts/lib/process';
import { importReportText } from '#scripts/lib/import-report-text';
import { openOwnSite } from '#scripts/lib/own-site';
import { EMBEDDED_SITE } from '#server/core/site/content';
import { Imports } from '#server/import-export/imports';
import { createImportRepository } from '#server/import-export/import-repository';
import { createLeases, LeaseWatch } from '#server/platform/database/leases';

const USAGE = `Usage: npm run import -- <file> [--pictures] [--settings] [--dry-run]

Takes over a whole site from an export of WordPress (XML) or of ours (JSON) into the site that is kept here; a server
may run beside it. What was taken before is not taken twice.
  --pictures  fetches pictures from where they are, into the media library
  --settings  also takes the name and tagline of the site, and its menu in place of the one there is
  --dry-run   tells what would become of everything, and writes nothing`;

/** Parses the command line. @throws Error with the usage */
function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      pictures: { type: 'boolean', default: false },
      settings: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
    },
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw new Error(USAGE);
  return { path, isRehearsal: values['dry-run'], options: { pictures: values.pictures, settings: values.settings } };
}

function showProgress(done: number, total: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${total}`);
}

/** `npm run import -- <file>`: imports a site, or only reports what an import would do. */
async function importFile(): Promise<void> {
  const { path, isRehearsal, options } = readArguments();
  const { database, content } = await openOwnSite(isRehearsal ? 'reads' : 'writes');
  const imports = new Imports({
    store: createImportRepository(database),
    leases: createLeases(database, { watch: new LeaseWatch() }),
    sites: () => Promise.resolve([{ id: EMBEDDED_SITE, name: 'This site', url: null, content }]),
    onFault: (message, error) => console.error(`\n${message}:`, error),
    onProgress: showProgress,
  });
  process.once('SIGINT', () => void imports.close());
  try {
    const file = { data: await readFile(path), filename: basename(path), options };
    const start = async () => {
      const { id } = await imports.start(file);
      await auditCommand(database, 'import', 'content-published', { target: file.filename, details: { importId: id } });
      return imports.finished(id);
    };
    const run = isRehearsal ? await imports.rehearse(file) : await start();
    if (process.stderr.isTTY) process.stderr.write('\r');
    console.log(importReportText(run.report));
    if (isRehearsal) console.log('\nNothing was written.');
    if (run.status !== 'complete') throw new Error(run.error ?? 'The import was cancelled.');
  } finally {
    await imports.close();
    await database.close();
  }
}

try {
  await importFile();
} catch (error) {
  exitWithMessage(error);
}
