import { importStrings } from '#lib/strings/imports';
import { MAX_IMPORT_BYTES } from '#lib/library/import-limit';

const say = importStrings.import;

/** For the file dialog. */
export const ACCEPTED_EXPORTS = '.xml,.json,text/xml,application/xml,application/json';

/** Why a file cannot be an export of a site, and what to do; null: nothing we see. The server looks for itself. */
export function exportFileProblem({ name, size }: Pick<File, 'name' | 'size'>): string | null {
  if (/\.zip$/i.test(name)) return say.zipped;
  if (!/\.(xml|json)$/i.test(name)) return say.notAnExport;
  if (size === 0) return say.empty;
  return size > MAX_IMPORT_BYTES ? say.tooLarge : null;
}
