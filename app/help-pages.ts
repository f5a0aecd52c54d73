import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { helpHtml, helpName, helpTitle } from '#components/docs/help-text';
import { once } from '#server/core/async';

interface HelpPage {
  /** File name without folder and `.md`. */
  readonly name: string;
  readonly title: string;
  readonly html: string;
}

/** Pages for whoever owns a site, in the order in which they are read; they lead to the others. */
const FIRST = ['first-site', 'your-wordpress', 'models', 'go-live', 'troubleshooting', 'faq', 'access'];

/** A page that the app has, below docs. */
const PAGE = /^((?:reference\/|internals\/)?[\w-]+)\.md$/;

/** The documentation, read from the files beside the app when it is first asked for: help needs no connection. */
export const helpPages = once(async () => {
  const folder = join(/* turbopackIgnore: true */ process.cwd(), 'docs');
  const files = await readdir(folder, { recursive: true });
  const paths = files.flatMap((file) => PAGE.exec(file.replaceAll(sep, '/'))?.[1] ?? []);
  const isPage = (path: string) => paths.includes(path);
  const pages = await Promise.all(
    paths.map(async (path): Promise<HelpPage> => {
      const text = await readFile(join(folder, `${path}.md`), 'utf8');
      return { name: helpName(path), title: helpTitle(text), html: helpHtml(text, path, isPage) };
    }),
  );
  const byName = new Map(pages.map((page) => [page.name, page]));
  return { byName, first: FIRST.flatMap((name) => byName.get(name) ?? []) };
});
