import { readFile } from 'node:fs/promises';
import { format } from 'oxfmt';
import { projectPath } from '#scripts/lib/project';

/** The text as `npm run format` would write it to a file of that name. Throws if it cannot be parsed. */
export async function formatted(path: string, text: string): Promise<string> {
  const options = JSON.parse(await readFile(projectPath('.oxfmtrc.json'), 'utf8')) as Parameters<typeof format>[2];
  const { code, errors } = await format(path, text, options);
  if (errors.length > 0) throw new Error(`${path} cannot be formatted: ${errors[0]!.message}`);
  return code;
}
