import { randomUUID } from 'node:crypto';
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { exitWithMessage } from '#scripts/lib/process';
import { openOwnSite } from '#scripts/lib/own-site';
import { EMBEDDED_SITE } from '#server/core/site/content';
import { createImportRepository } from '#server/import-export/import-repository';
import { exportSite } from '#server/import-export/export-site';

const USAGE = `Usage: npm run export -- <file> [--media] [--trashed]

Writes the site that is kept here into a JSON file, which an import takes back.
  --media    with the bytes of the pictures
  --trashed  with what is in the trash, to be read`;

/** `npm run export -- <file>`: exports the whole site, also while the server runs. */
async function exportToFile(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { media: { type: 'boolean', default: false }, trashed: { type: 'boolean', default: false } },
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw new Error(USAGE);
  if (existsSync(path)) throw new Error(`There is a file ${path} already. Choose another name.`);
  // Only a complete file gets the final name, so that an interrupted export is not mistaken for the site.
  const unfinished = `${path}.${randomUUID()}.unfinished`;
  const { database, content } = await openOwnSite('reads');
  try {
    const comments = await createImportRepository(database).comments(EMBEDDED_SITE);
    const { total } = await content.query({ limit: 1 });
    await pipeline(
      Readable.from(exportSite(content, { ...values, comments })),
      createWriteStream(unfinished, { flags: 'wx' }),
    );
    renameSync(unfinished, path);
    console.log(`Saved ${path}: ${total} pages and posts. Take it back with: npm run import -- ${path}`);
  } finally {
    rmSync(unfinished, { force: true });
    await database.close();
  }
}

try {
  await exportToFile();
} catch (error) {
  exitWithMessage(error);
}
