import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openOwnSite } from '#scripts/lib/own-site';
import { exitWithMessage, readEnvironment } from '#scripts/lib/process';
import { loadSiteTheme } from '#scripts/lib/build-site-theme';
import { createPictureVariants } from '#server/site/media/picture-variants';
import { formsOriginFor, prepareExport } from '#server/site/public/static-export';
import { createPictureVariantRepository } from '#server/site/store/picture-variant-repository';

const USAGE = `Usage: npm run export:site -- <folder> [--url https://example.org]

Writes the published site into an empty folder, as files for any server.
  --url   where the site will be; default: SITE_URL`;

/** `npm run export:site -- <folder>`: writes the published site as files, also while the server runs. */
async function exportSite(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { url: { type: 'string' } } });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new Error(USAGE);
  const url = values.url ?? readEnvironment().SITE_URL;
  if (url === undefined) throw new Error(`Say where the site will be.\n\n${USAGE}`);
  if (!/^https?:/.test(url) || !URL.canParse(url) || new URL(url).pathname !== '/')
    throw new Error(`--url must be an origin, like https://example.org, and ${url} is none.`);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`${folder} is not empty. Name a new folder, or empty this one.`);
  const { database, content } = await openOwnSite('reads');
  // The files are public, so any web server may read them.
  process.umask(0o022);
  try {
    const theme = await loadSiteTheme();
    const onFault = (message: string, error: unknown) => console.error(`${message}:`, error);
    const address = new URL(url).origin;
    const pictures = createPictureVariants(createPictureVariantRepository(database), onFault);
    const formsOrigin = formsOriginFor(address, readEnvironment());
    const site = await prepareExport({ content, address, theme, pictures, formsOrigin, onFault });
    for (const { page, reason } of site.problems) console.error(`${page}: ${reason.text}`);
    if (site.problems.length > 0)
      throw new Error('Nothing was written: correct what is named above, publish it, and export again.');
    let count = 0;
    for await (const { path, data } of site.files()) {
      const file = join(resolve(folder), path);
      mkdirSync(dirname(file), { recursive: true });
      await writeFile(file, data);
      count += 1;
    }
    console.log(`Saved ${site.pages} pages as ${count} files in ${folder}, for ${address}`);
    for (const note of site.notes) console.log(note.text);
  } finally {
    await database.close();
  }
}

try {
  await exportSite();
} catch (error) {
  exitWithMessage(error);
}
