import { shortcodeOf, withoutShortcodes } from '#server/import-export/shortcodes';
import { withoutDelimiters } from '#server/wordpress/blocks/source/block-scan';
import { cleanHtmlParts } from '#server/wordpress/blocks/clean-html';
import type { ClassicContext } from '#server/wordpress/blocks/classic-pieces';
import { readBlocks, type Segment } from '#server/wordpress/blocks/read-segments';
import type { NewEntry } from '#server/site/content-backend';
import { MAX_SECTIONS } from '#server/site/entry-document';
import { newSectionFields } from '#server/site/section-types';
import type { JsonValue } from '#server/core/json';
import { lostStyles } from '#server/import-export/lost-styles';
import { withoutLostPictures } from '#server/import-export/plan/data-pictures';
import { type SourceContent, type SourcePicture } from '#server/import-export/plan/import-plan';
import { refusalOf } from '#server/core/errors';
import { shorten } from '#server/core/text/short-text';
import type { ServerText } from '#server/core/coded-message';
import { distinctTexts } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';
import type { Addresses } from '#server/import-export/source-addresses';

/** Maximum characters of the field `html` of a section (`sections/html/fields`). */
const MAX_HTML_CHARS = 200_000;

type Sections = NonNullable<NewEntry['sections']>;
type NewSection = Sections[number] & { readonly raw: string };

/** Content as validated sections, with addresses of our site. */
export interface ReadSections {
  readonly sections: Sections;
  /** Sentences about what was changed. */
  readonly remarks: readonly ServerText[];
  /** Addresses of the source that have no counterpart here. */
  readonly lost: readonly string[];
}

/** Pictures and addresses that reading content needs. */
export interface ContentSources {
  readonly addresses: Addresses;
  /** Pictures of the source by number. */
  readonly pictures: ReadonlyMap<number, SourcePicture>;
}

/**
 * Converts the content of an entry to valid sections of this site. Never refuses content: see `ReadSections.remarks`.
 */
export function readContent(content: SourceContent, sources: ContentSources): ReadSections {
  if (content.kind === 'sections') {
    const sections = content.sections.map(({ type, fields }) => ({
      type,
      fields: newSectionFields(type, withLocalAddresses(fields, sources.addresses) as typeof fields),
    }));
    return { sections, remarks: [], lost: [] };
  }
  const lost = new Set<string>();
  const { addresses, pictures } = sources;
  const toLocal = (href: string) => {
    if (addresses.find(href) === null && addresses.isOfSource(href) && !href.startsWith('#')) lost.add(href);
    return addresses.toLocal(href);
  };
  const markup = withoutLostPictures(content.markup, (address) => addresses.find(address) !== null);
  const { segments, remarks } = sectionsFromContent(markup, {
    language: 'en',
    toLocal,
    toRemote: (href) => href,
    mediaId: () => undefined,
    picture: (id) => {
      const found = pictures.get(id);
      const src = found?.addresses[0];
      return found && src !== undefined
        ? { src: addresses.toLocal(src), alt: found.alt, caption: found.caption }
        : undefined;
    },
  });
  const own: ServerText[] = [];
  const read = segments.map((segment) => validSection(segment, own));
  return { sections: withinLimit(read, own), remarks: [...remarks, ...own], lost: [...lost] };
}

/** Converts a section that its type refuses to an HTML section. */
function validSection({ raw, type, fields }: NewSection, remarks: ServerText[]): NewSection {
  try {
    return { raw, type, fields: newSectionFields(type, fields) };
  } catch (error) {
    refusalOf(error);
    if (raw.length > MAX_HTML_CHARS) remarks.push(serverText('import-long-piece', { count: MAX_HTML_CHARS }));
    return { raw, type: 'html', fields: newSectionFields('html', { html: shorten(raw, MAX_HTML_CHARS) }) };
  }
}

/** Joins the sections beyond the limit of an entry into one HTML section. */
function withinLimit(sections: readonly NewSection[], remarks: ServerText[]): Sections {
  const over = sections.slice(MAX_SECTIONS - 1);
  if (over.length <= 1) return sections.map(({ type, fields }) => ({ type, fields }));
  remarks.push(serverText('import-many-sections', { count: MAX_SECTIONS }));
  const raw = over.map((section) => section.raw).join('');
  if (raw.length > MAX_HTML_CHARS) remarks.push(serverText('import-long-piece', { count: MAX_HTML_CHARS }));
  const fields = newSectionFields('html', { html: shorten(raw, MAX_HTML_CHARS) });
  return [
    ...sections.slice(0, MAX_SECTIONS - 1).map(({ type, fields: own }) => ({ type, fields: own })),
    { type: 'html', fields },
  ];
}

/** A path of the site in markdown or HTML. */
const PATH_IN_TEXT = /(\]\(|(?:href|src)=["'])(\/[^\s"')]*)/g;

/** Replaces the addresses in a value by those of our site. */
function withLocalAddresses(value: JsonValue, addresses: Addresses): JsonValue {
  if (typeof value === 'string') {
    if (value.startsWith('/')) return addresses.toLocal(value);
    return value.replaceAll(
      PATH_IN_TEXT,
      (_all, before: string, path: string) => `${before}${addresses.toLocal(path)}`,
    );
  }
  if (Array.isArray(value)) return value.map((item) => withLocalAddresses(item, addresses));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, withLocalAddresses(item ?? null, addresses)]),
  );
}

/** WordPress content as sections, before they are validated. */
export interface ReadContent {
  /** Segments with visible content. */
  readonly segments: Segment[];
  /** Plain sentences about what was left out or changed, without repetitions. */
  readonly remarks: ServerText[];
}

/** Markup in any content for which our sections have no equivalent. */
const removedComments: readonly (readonly [RegExp, ServerText])[] = [
  [/<!--more/, serverText('import-read-more')],
  [/<!--nextpage/, serverText('import-page-breaks')],
];

/** Elements that sanitising an `html` section removes, with their remarks. */
const removedHtml: readonly (readonly [RegExp, ServerText])[] = [
  [/<script\b/i, serverText('import-script')],
  [/<(?:form|input|select|textarea)\b/i, serverText('import-form')],
  [/<(?:iframe|video|audio)\b/i, serverText('import-embedded')],
  [/<(?:object|embed|svg|canvas)\b/i, serverText('import-drawing')],
];

function matching(list: readonly (readonly [RegExp, ServerText])[], raw: string): ServerText[] {
  return list.filter(([pattern]) => pattern.test(raw)).map(([, sentence]) => sentence);
}

function segmentRemarks({ raw, type, fields }: Segment): ServerText[] {
  const shortcode = shortcodeOf({ type, fields });
  if (shortcode !== null) {
    const name = /[\w-]+/.exec(shortcode)?.[0] ?? '';
    return [serverText('import-shortcode', { name })];
  }
  if (type !== 'html') return [];
  const name = typeof fields['block'] === 'string' ? fields['block'] : null;
  const shown = withoutDelimiters(raw).replace(/<!--[^]*?(?:-->|$)/g, '');
  if (parseHtmlWithinLimits(raw) === null) return [serverText('import-unread-html')];
  const isFilledThere = name !== null && fields['html'] === '' && shown.trim() === '';
  return isFilledThere ? [serverText('import-filled-block', { name })] : matching(removedHtml, raw);
}

/** True if a segment shows nothing here. */
function isEmpty({ type, fields }: Segment): boolean {
  const { heading, body, html } = fields;
  if (shortcodeOf({ type, fields }) !== null) return false;
  return type === 'html' ? html === '' : type === 'text' && heading === undefined && body === '';
}

/** Splits a section whose HTML exceeds the limit into several. */
function inParts(segment: Segment, context: ClassicContext): Segment[] {
  const { raw, type, fields } = segment;
  if (type !== 'html' || raw.length <= MAX_HTML_CHARS / 2) return [segment];
  const parts = cleanHtmlParts(withoutDelimiters(raw), context);
  return parts.length < 2
    ? [segment]
    : parts.map((html, index) => ({ raw: index === 0 ? raw : html, type, fields: { ...fields, html } }));
}

/** Converts the content of a WordPress page or post, with or without blocks, to sections, and reports what was lost. */
export function sectionsFromContent(raw: string, context: ClassicContext): ReadContent {
  const read = readBlocks(raw, context).flatMap((segment) => inParts(segment, context));
  // A segment with many shortcodes becomes many segments, each with the same `raw`.
  const segments = read.flatMap(withoutShortcodes);
  const remarks = [...matching(removedComments, raw), ...segments.flatMap(segmentRemarks), ...read.flatMap(lostStyles)];
  return { segments: segments.filter((segment) => !isEmpty(segment)), remarks: distinctTexts(remarks) };
}
