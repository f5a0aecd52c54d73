import { HELP_PATH } from '#components/workspace/navigation.ts';
import { markdownHtml } from '#server/markup/markdown-html';

/** Anchor of a heading, derived as on GitHub, so that links work in both places. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

const ENTITIES: Readonly<Record<string, string>> = { '&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&' };
/** The text of HTML without tags. */
const plain = (html: string) =>
  html.replaceAll(/<[^>]*>/g, '').replaceAll(/&(?:quot|lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity);

/**
 * A page of the documentation as HTML: headings have anchors, links to other pages stay in the app, links to content
 * that only the repository has (code, decisions) become plain text, and pictures are left out. Pages are addressed by
 * file name alone, so that addresses stay valid when a file moves to another folder.
 * @param path of the file below docs, without `.md`
 * @param isPage returns true if the app has the page at such a path
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

/** The name of a page in the app: its file name without the folder. */
export const helpName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** The title of a page: its first heading. */
export const helpTitle = (markdown: string) => /^# (.+)$/m.exec(markdown)?.[1] ?? '';
