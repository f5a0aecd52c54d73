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
 * A page of the documentation as HTML: headings have names, links to other pages stay in the app, and what only the
 * repository has (code, decisions, pictures) is named and not linked.
 * @param isPage tells of the name of a file, without `.md`, whether the app has it
 * @throws Error for a text beyond the parser's limits
 */
export function helpHtml(markdown: string, isPage: (name: string) => boolean): string {
  const html = markdownHtml(markdown.replaceAll(/<!--[\s\S]*?-->\n*/g, ''));
  if (html === null) throw new Error('A page of the documentation is beyond the limits of the parser.');
  return html
    .replaceAll(
      /<(h[1-6])>(.*?)<\/\1>/g,
      (_, tag: string, content: string) => `<${tag} id="${anchorOf(plain(content))}">${content}</${tag}>`,
    )
    .replaceAll(/<img [^>]*>/g, '')
    .replaceAll(/<a href="([^"]*)">(.*?)<\/a>/gs, (link, href: string, content: string) => {
      if (/^(?:https?:|#)/.test(href)) return link;
      const [, name, hash = ''] = /^([\w-]+)\.md(#[^"]*)?$/.exec(href) ?? [];
      if (name === undefined || !isPage(name)) return content;
      return `<a href="${HELP_PATH}${name === 'README' ? '' : `/${name}`}${hash}">${content}</a>`;
    })
    .replaceAll('<table>', '<div class="help-table"><table>')
    .replaceAll('</table>', '</table></div>');
}

/** The title of a page: its first heading. */
export const helpTitle = (markdown: string) => /^# (.+)$/m.exec(markdown)?.[1] ?? '';
