import { z } from 'zod';
import type { EntryDocument, Section } from '#server/core/content';
import type { JsonValue } from '#server/core/json';
import { textKinds, unwrapped } from '#server/core/safe-text';
import { sectionFieldSchemas } from '#server/core/section-fields';
import { attribute, decodeEntities, elementsWithin } from '#server/markup/html-tree';
import { markdownHtml, sectionsBeyondLimit } from '#server/markup/markdown';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';

/** An address in a document: somewhere to go, or a picture that is shown. */
export interface EntryLink {
  readonly kind: 'link' | 'image';
  /** As it is written. */
  readonly href: string;
  readonly sectionId?: string;
  /** `sections[2].fields.body`. */
  readonly path: string;
  /** Description of a picture; undefined for links, and where nobody reads it (cover, link previews). */
  readonly alt?: string;
}

/** Addresses in markdown as visitors get them; those in code do not count. */
function markdownLinks(markdown: string, path: string): EntryLink[] {
  // Most texts hold none, and parsing costs more than all else here.
  if (!/[\]:<]|www/.test(markdown)) return [];
  // What is shown as it is written leads nowhere.
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

function textLinks(schema: z.core.$ZodType, text: string, path: string, alt: JsonValue | undefined): EntryLink[] {
  const kind = textKinds.get(schema)?.kind;
  if (kind === undefined) return [];
  if (kind === 'markdown') return markdownLinks(text, path);
  if (kind === 'html') return htmlLinks(text, path);
  return [{ kind, href: text, path, ...(kind === 'image' && { alt: typeof alt === 'string' ? alt : '' }) }];
}

function linksIn(schema: z.core.$ZodType, value: JsonValue | undefined, path: string, alt?: JsonValue): EntryLink[] {
  const inner = unwrapped(schema);
  if (typeof value === 'string') return textLinks(inner, value, path, alt);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((item, index) => linksIn(inner.element, item, `${path}[${index}]`));
  }
  if (!(inner instanceof z.ZodObject) || value === null || typeof value !== 'object' || Array.isArray(value)) return [];
  return Object.entries(inner.shape).flatMap(([name, field]) =>
    linksIn(field, value[name], `${path}.${name}`, value[`${name}Alt`] ?? value['alt']),
  );
}

function sectionLinks(section: Section, index: number): EntryLink[] {
  const schema = sectionFieldSchemas[section.type];
  const links = linksIn(schema, section.fields, `sections[${index}].fields`);
  return links.map((link) => ({ ...link, sectionId: section.id }));
}

/** Every address in a document, in its order; none of the sections that are shown as plain words. */
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
 * The path of the site that a link of the content leads to (`/pricing/#plans` gives `/pricing`). Null for files,
 * anchors and other sites.
 */
export function linkedPath(href: string): string | null {
  if (!href.startsWith('/') || /^\/[/\\]/.test(href)) return null;
  const [place = ''] = href.replace(/^\/(?:site|preview)(?=[/?#]|$)/, '').split(/[?#]/, 1);
  if (FILE.test(place) || ASSET.test(href)) return null;
  return place === '' ? '/' : place;
}

/** The id of the asset that an address shows; null for all else. */
export function linkedAsset(href: string): string | null {
  return ASSET.exec(href)?.[1] ?? null;
}
