import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { helpHtml, helpName, helpTitle } from '#components/docs/help-text.ts';
import { once } from '#server/core/async';

/** A page of the documentation. */
interface HelpPage {
  /** File name without folder and `.md`. */
  readonly name: string;
  readonly title: string;
  readonly html: string;
}

/** Names of the pages for site owners, in reading order; they link to the others. */
const FIRST = ['first-site', 'your-wordpress', 'models', 'go-live', 'troubleshooting', 'faq', 'access'];

/** Name of a documentation page that the app includes, relative to docs. */
const PAGE = /^((?:reference\/|internals\/)?[\w-]+)\.md$/;

/** The documentation, read on first use from the files that ship with the app: help needs no connection. */
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
