import { shortcodeOf, withoutShortcodes } from '#server/import/shortcodes';
import { withoutDelimiters } from '#server/blocks/block-scan';
import type { ClassicContext } from '#server/blocks/classic-pieces';
import { readBlocks, type Segment } from '#server/blocks/read-segments';
import type { NewEntry } from '#server/content/content-backend';
import { MAX_SECTIONS } from '#server/content/entry-document';
import { newSectionFields } from '#server/content/section-types';
import type { JsonValue } from '#server/core/json';
import { type SourceContent, type SourcePicture } from '#server/import/plan';
import type { Addresses } from '#server/import/work';
import { refusalOf } from '#server/core/errors';
import { shorten } from '#server/core/short-text';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';

const MAX_HTML_CHARS = 200_000;

type Sections = NonNullable<NewEntry['sections']>;
type NewSection = Sections[number] & { readonly raw: string };

/** Content as sections, checked, with our addresses. */
export interface ReadSections {
  readonly sections: Sections;
  /** Sentences about what was changed. */
  readonly remarks: readonly string[];
  /** Addresses of the source without a counterpart here. */
  readonly lost: readonly string[];
}

/** Pictures and addresses that reading content needs. */
export interface ContentSources {
  readonly addresses: Addresses;
  /** Pictures of the source by their number. */
  readonly pictures: ReadonlyMap<number, SourcePicture>;
}

export function readContent(content: SourceContent, sources: ContentSources): ReadSections {
  if (content.kind === 'sections') {
    const sections = content.sections.map(({ type, fields }) => ({
      type,
      fields: newSectionFields(type, mapped(fields, sources.addresses) as typeof fields),
    }));
    return { sections, remarks: [], lost: [] };
  }
  const lost = new Set<string>();
  const { addresses, pictures } = sources;
  const toLocal = (href: string) => {
    if (addresses.find(href) === null && addresses.isOfSource(href) && !href.startsWith('#')) lost.add(href);
    return addresses.toLocal(href);
  };
  const { segments, remarks } = sectionsFromContent(content.markup, {
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
  const own: string[] = [];
  const read = segments.map((segment) => checked(segment, own));
  return { sections: withinLimit(read, own), remarks: [...remarks, ...own], lost: [...lost] };
}

/** Keeps a section that its type refuses as HTML. */
function checked({ raw, type, fields }: NewSection, remarks: string[]): NewSection {
  try {
    return { raw, type, fields: newSectionFields(type, fields) };
  } catch (error) {
    refusalOf(error);
    if (raw.length > MAX_HTML_CHARS) remarks.push(`A piece of it is cut at ${MAX_HTML_CHARS} characters.`);
    return { raw, type: 'html', fields: newSectionFields('html', { html: shorten(raw, MAX_HTML_CHARS) }) };
  }
}

/** Joins the sections beyond the limit of an entry into one of HTML. */
function withinLimit(sections: readonly NewSection[], remarks: string[]): Sections {
  const over = sections.slice(MAX_SECTIONS - 1);
  if (over.length <= 1) return sections.map(({ type, fields }) => ({ type, fields }));
  remarks.push(`An entry has at most ${MAX_SECTIONS} sections: the rest became one section of HTML.`);
  const raw = over.map((section) => section.raw).join('');
  if (raw.length > MAX_HTML_CHARS) remarks.push(`A piece of it is cut at ${MAX_HTML_CHARS} characters.`);
  const fields = newSectionFields('html', { html: shorten(raw, MAX_HTML_CHARS) });
  return [
    ...sections.slice(0, MAX_SECTIONS - 1).map(({ type, fields: own }) => ({ type, fields: own })),
    { type: 'html', fields },
  ];
}

/** A path of the site within markdown or HTML. */
const WRITTEN = /(\]\(|(?:href|src)=["'])(\/[^\s"')]*)/g;

/** Replaces the addresses in a value by those here. */
function mapped(value: JsonValue, addresses: Addresses): JsonValue {
  if (typeof value === 'string') {
    if (value.startsWith('/')) return addresses.toLocal(value);
    return value.replaceAll(WRITTEN, (_all, before: string, path: string) => `${before}${addresses.toLocal(path)}`);
  }
  if (Array.isArray(value)) return value.map((item) => mapped(item, addresses));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapped(item ?? null, addresses)]));
}

export interface ReadContent {
  /** Segments that show something. */
  readonly segments: Segment[];
  /** Plain sentences about what was left out or changed; each once. */
  readonly remarks: string[];
}

/** Marks in any content that our sections have nothing for. */
const lostMarks: readonly (readonly [RegExp, string])[] = [
  [/<!--more/, 'The mark "read more" was left out.'],
  [/<!--nextpage/, 'Page breaks were left out: the text stands on one page.'],
];

/** Elements that cleaning an `html` section removes, with their names. */
const lostHtml: readonly (readonly [RegExp, string])[] = [
  [/<script\b/i, 'A script was left out.'],
  [/<(?:form|input|select|textarea)\b/i, 'A form was left out; its words stayed.'],
  [/<(?:iframe|video|audio)\b/i, 'Something embedded became a link.'],
  [/<(?:object|embed|svg|canvas)\b/i, 'A drawing or an embedded object was left out.'],
];

function matching(list: readonly (readonly [RegExp, string])[], raw: string): string[] {
  return list.filter(([pattern]) => pattern.test(raw)).map(([, sentence]) => sentence);
}

function segmentRemarks({ raw, type, fields }: Segment): string[] {
  const shortcode = shortcodeOf({ type, fields });
  if (shortcode !== null) {
    const name = /[\w-]+/.exec(shortcode)?.[0] ?? '';
    return [
      `The shortcode [${name}] shows visitors nothing: only a plugin knows what it shows. A section says where it stood.`,
    ];
  }
  if (type !== 'html') return [];
  const name = typeof fields['block'] === 'string' ? fields['block'] : null;
  const shown = withoutDelimiters(raw).replace(/<!--[^]*?(?:-->|$)/g, '');
  if (parseHtmlWithinLimits(raw) === null)
    return ['A piece of HTML holds more markup than can be read: its words stayed.'];
  const isFilledThere = name !== null && fields['html'] === '' && shown.trim() === '';
  return isFilledThere
    ? [`The block ${name} is empty here: WordPress fills it when it shows it.`]
    : matching(lostHtml, raw);
}

/** Tells whether a segment shows nothing here. */
function isEmpty({ type, fields }: Segment): boolean {
  const { heading, body, html } = fields;
  if (shortcodeOf({ type, fields }) !== null) return false;
  return type === 'html' ? html === '' : type === 'text' && heading === undefined && body === '';
}

/** Content of a WordPress page or post, with blocks or without, as sections, and what did not come along. */
export function sectionsFromContent(raw: string, context: ClassicContext): ReadContent {
  const segments = readBlocks(raw, context).flatMap(withoutShortcodes);
  const remarks = [...matching(lostMarks, raw), ...segments.flatMap(segmentRemarks)];
  return { segments: segments.filter((segment) => !isEmpty(segment)), remarks: [...new Set(remarks)] };
}
