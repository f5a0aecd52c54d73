import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { helpHtml, helpTitle } from '#components/docs/help-text';
import { once } from '#server/core/once';

interface HelpPage {
  /** File name without `.md`. */
  readonly name: string;
  readonly title: string;
  readonly html: string;
}

/** Those for whoever owns a site, in the order in which they are read; they lead to the others. */
const FIRST = ['first-site', 'your-wordpress', 'models', 'go-live', 'troubleshooting', 'faq', 'access'];

/** The documentation, read from the files beside the app when it is first asked for: help needs no connection. */
export const helpPages = once(async () => {
  const folder = join(/* turbopackIgnore: true */ process.cwd(), 'docs');
  const names = (await readdir(folder)).flatMap((file) => /^([\w-]+)\.md$/.exec(file)?.[1] ?? []);
  const isPage = (name: string) => names.includes(name);
  const pages = await Promise.all(
    names.map(async (name): Promise<HelpPage> => {
      const text = await readFile(join(folder, `${name}.md`), 'utf8');
      return { name, title: helpTitle(text), html: helpHtml(text, isPage) };
    }),
  );
  const byName = new Map(pages.map((page) => [page.name, page]));
  return { byName, first: FIRST.flatMap((name) => byName.get(name) ?? []) };
});
