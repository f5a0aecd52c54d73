import { stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** Tells whether a file came with this program, by its path on the site: `/images/kiln.svg`. */
export async function isOwnPicture(path: string): Promise<boolean> {
  const folder = join(/* turbopackIgnore: true */ process.cwd(), 'public');
  try {
    const file = join(folder, decodeURIComponent(path));
    return file.startsWith(`${folder}${sep}`) && (await stat(file)).isFile();
  } catch {
    return false;
  }
}
