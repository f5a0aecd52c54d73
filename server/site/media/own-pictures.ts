import { stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** True if the folder `public` of this program has a file for a path of the site (`/images/kiln.svg`). */
export async function isOwnPicture(path: string): Promise<boolean> {
  const folder = join(/* turbopackIgnore: true */ process.cwd(), 'public');
  try {
    const file = join(folder, decodeURIComponent(path));
    return file.startsWith(`${folder}${sep}`) && (await stat(file)).isFile();
  } catch {
    return false;
  }
}
