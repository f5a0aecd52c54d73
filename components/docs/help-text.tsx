import { HELP_PATH } from '#components/desk/navigation';
import { markdownHtml } from '#server/markup/markdown';

/** The name by which a heading is linked to, made as GitHub makes it, so that links hold here and there. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

const ENTITIES: Readonly<Record<string, string>> = { '&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&' };
const plain = (html: string) =>
  html.replaceAll(/<[^>]*>/g, '').replaceAll(/&(?:quot|lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity);

/**
 * A page of the documentation as HTML: headings have names, links to other pages stay in the app, links to what only
 * the repository has (code, decisions) become plain text, and pictures are left out. Pages are named by file alone, so
 * that addresses stay when a file moves to another folder.
 * @param path of the file below docs, without `.md`
 * @param isPage tells of such a path whether the app has it
 * @throws Error for a text beyond the parser's limits
 */
export function helpHtml(markdown: string, path: string, isPage: (path: string) => boolean): string {
  const text = markdown.replaceAll(/<!--[\s\S]*?-->\n*|^```mermaid\n[\s\S]*?^```\n+/gm, '');
  const html = markdownHtml(text);
  if (html === null) throw new Error('A page of the documentation is beyond the limits of the parser.');
  return html
    .replaceAll(
      /<(h[1-6])>(.*?)<\/\1>/g,
      (_, tag: string, content: string) => `<${tag} id="${anchorOf(plain(content))}">${content}</${tag}>`,
    )
    .replaceAll(/<img [^>]*>/g, '')
    .replaceAll(/<a href="([^"]*)">(.*?)<\/a>/gs, (link, href: string, content: string) => {
      if (/^(?:https?:|#)/.test(href)) return link;
      const { pathname, hash } = new URL(href, `http://throughline/docs/${path}`);
      const [, page] = /^\/docs\/(.+)\.md$/.exec(pathname) ?? [];
      if (page === undefined || !isPage(page)) return content;
      const name = helpName(page);
      return `<a href="${HELP_PATH}${name === 'README' ? '' : `/${name}`}${hash}">${content}</a>`;
    })
    .replaceAll('<table>', '<div class="help-table"><table>')
    .replaceAll('</table>', '</table></div>');
}

/** The name of a page in the app: its file, whatever the folder. */
export const helpName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** The title of a page: its first heading. */
export const helpTitle = (markdown: string) => /^# (.+)$/m.exec(markdown)?.[1] ?? '';
