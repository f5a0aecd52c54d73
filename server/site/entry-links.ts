import type { EntryDocument, Section } from '#server/core/site/content';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';
import { decodeEntities } from '#server/markup/html-text';
import { attribute, elementsWithin } from '#server/markup/html-tree';
import { sectionsBeyondLimit } from '#server/markup/entry-markup-limit';
import { markdownHtml } from '#server/markup/markdown-html';
import { sectionTexts } from '#server/site/text/section-texts';

/* The addresses (links and pictures) in documents, and what an address refers to. */

/** An address in a document: a link or a displayed picture. */
export interface EntryLink {
  readonly kind: 'link' | 'image';
  /** The address as written in the document. */
  readonly href: string;
  readonly sectionId?: string;
  /** `sections[2].fields.body`. */
  readonly path: string;
  /**
   * Description of a picture; undefined for links, and for pictures whose description is not shown (cover, link
   * previews).
   */
  readonly alt?: string;
}

/** Addresses in Markdown as visitors get them; those in code do not count. */
function markdownLinks(markdown: string, path: string): EntryLink[] {
  // Most texts contain none, and parsing costs more than everything else here.
  if (!/[\]:<]|www/.test(markdown)) return [];
  // Markup that is shown literally leads nowhere.
  const html = markdownHtml(markdown) ?? '';
  const tags = html.matchAll(/<(?:a href="([^"]*)"|img src="([^"]*)" alt="([^"]*)")/g);
  return [...tags].map(([, href, src, alt = '']) =>
    src === undefined
      ? { kind: 'link', href: decodeEntities(href ?? ''), path }
      : { kind: 'image', href: decodeEntities(src), path, alt: decodeEntities(alt) },
  );
}

/** Addresses in HTML. */
function htmlLinks(html: string, path: string): EntryLink[] {
  const tree = /<(?:a|img)\b/i.test(html) ? parseHtmlWithinLimits(html) : null;
  return tree === null
    ? []
    : elementsWithin(tree).flatMap((element): EntryLink[] => {
        const [href, src] = [attribute(element, 'href'), attribute(element, 'src')];
        if (element.tagName === 'a' && href !== undefined) return [{ kind: 'link', href, path }];
        if (element.tagName !== 'img' || src === undefined) return [];
        return [{ kind: 'image', href: src, path, alt: attribute(element, 'alt') ?? '' }];
      });
}

function sectionLinks(section: Section, index: number): EntryLink[] {
  return sectionTexts(section, index).flatMap(({ kind, text, path, alt }): EntryLink[] => {
    const { id: sectionId } = section;
    if (kind === 'plain') return [];
    if (kind === 'markdown') return markdownLinks(text, path).map((link) => ({ ...link, sectionId }));
    if (kind === 'html') return htmlLinks(text, path).map((link) => ({ ...link, sectionId }));
    return [{ kind, href: text, path, sectionId, ...(alt !== undefined && { alt }) }];
  });
}

/** Every address in a document, in order, except in sections that are shown as plain text. */
export function linksOf(document: EntryDocument): EntryLink[] {
  const { image, seo, sections } = document;
  const beyond = sectionsBeyondLimit(sections);
  return [
    ...(image === undefined ? [] : [{ kind: 'image' as const, href: image, path: 'image' }]),
    ...(seo?.image === undefined ? [] : [{ kind: 'image' as const, href: seo.image, path: 'seo.image' }]),
    ...sections.flatMap((section, index) => (beyond.has(section.id) ? [] : sectionLinks(section, index))),
  ];
}

const FILE = /\.[a-z0-9]+$/i;
const ASSET = /^\/media\/([^/?#]+)(?:[/?#]|$)/;

/**
 * The path of the site to which a link in the content leads (`/pricing/#plans` gives `/pricing`). Null for files,
 * anchors and other sites.
 */
export function linkedPath(href: string): string | null {
  if (!href.startsWith('/') || /^\/[/\\]/.test(href)) return null;
  const [place = ''] = href.replace(/^\/(?:site|preview)(?=[/?#]|$)/, '').split(/[?#]/, 1);
  if (FILE.test(place) || ASSET.test(href)) return null;
  return place === '' ? '/' : place;
}

/** The id of the asset at an address; null for all other addresses. */
export function linkedAsset(href: string): string | null {
  return ASSET.exec(href)?.[1] ?? null;
}
