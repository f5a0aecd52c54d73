import type { EntryType, SiteSettings } from '#server/core/content';
import {
  type Clause,
  nameOf,
  ORDINAL_PATTERN,
  ordinalOf,
  PLACE_PATTERN,
  placeOf,
  valueOf,
} from '#server/models/offline/grammar';
import type { Detail, Fields, Listable, Request, RequestOf } from '#server/models/offline/requests';
import { readFields, sectionTypeOf, TYPE_PATTERN } from '#server/models/offline/section-words';

/* From the groups of a pattern in intents.ts to a request. */

const PLACE = new RegExp(`,? (?:at|in|to) (?:the )?(?<place>${PLACE_PATTERN})(?= |$|,)(?<of> of(?= ))?`, 'i');
const CONTENT = '(?::|,? with| saying| that says| reading)(?: |$)';
const PAGE_THEN_CONTENT = new RegExp(`^(?: (?:to|on|in) (?<ref>.+?))?(?:${CONTENT}(?<fields>.*))?$`, 'is');
const CONTENT_THEN_PAGE = new RegExp(`^${CONTENT}(?<fields>.*) (?:to|on) (?<ref>.+)$`, 'is');

/** The named groups of a pattern that matched. */
export type Groups = Readonly<Record<string, string | undefined>>;

/** A setting and its value. */
export function readSetting(groups: Groups, quotes: Clause['quotes']): Request {
  const setting = SETTING_WORDS[(groups.setting ?? '').toLowerCase()] ?? 'siteName';
  const value = valueOf(groups.value ?? '', quotes);
  return { intent: 'change-setting', setting, value: setting === 'accentColor' ? colorOf(value) : value };
}

/** Everything that was asked to be listed. */
export function readList(groups: Groups): Request {
  const text = (groups.what ?? '').toLowerCase();
  const kinds: readonly (readonly [Listable, RegExp])[] = [
    ['pages', /pages/],
    ['posts', /posts|articles/],
    ['navigation', /nav|menu/],
    ['settings', /settings|site name|tagline/],
  ];
  return { intent: 'list', what: kinds.filter(([, pattern]) => pattern.test(text)).map(([what]) => what) };
}

/** A question or feature for a list. */
export function readItem(groups: Groups, quotes: Clause['quotes']): Request {
  const [first, second] = [valueOf(groups.first ?? '', quotes), valueOf(groups.second ?? '', quotes)];
  const isQuestion = groups.kind?.toLowerCase() === 'question';
  const item: Fields = isQuestion ? { question: first, answer: second } : { title: first, body: second };
  return { intent: 'add-item', type: isQuestion ? 'faq' : 'features', ref: nameOf(groups.ref, quotes), item };
}

/** `rest` follows the section's type: the page, the place and the content, in any usual order. */
export function readAddSection(groups: Groups, quotes: Clause['quotes']): Request | null {
  const type = sectionTypeOf(groups.section ?? '');
  const { rest, place } = takePlace(groups.rest ?? '');
  const match = CONTENT_THEN_PAGE.exec(rest) ?? PAGE_THEN_CONTENT.exec(rest);
  if (!match) return null;
  const { ref, fields = '' } = match.groups ?? {};
  return {
    intent: 'add-section',
    ref: nameOf(ref, quotes),
    type,
    fields: readFields(type, fields.trim(), quotes),
    ...(place === undefined || place === -1 ? {} : { position: place }),
  };
}

/** Takes "at the top" out; "at the top of Pricing" leaves "to Pricing". */
function takePlace(text: string): { rest: string; place?: number } {
  const at = PLACE.exec(text);
  if (at?.groups?.place === undefined) return { rest: text };
  const behind = text.slice(at.index + at[0].length);
  const rest = text.slice(0, at.index) + (at.groups.of === undefined ? behind : ` to${behind}`);
  return { rest, place: placeOf(at.groups.place) };
}

/** A field of a section and its value. */
export function readChange(groups: Groups, quotes: Clause['quotes']): Request {
  return {
    intent: 'change-section',
    ref: nameOf(groups.ref, quotes),
    ...(groups.section === undefined ? {} : { type: sectionTypeOf(groups.section) }),
    ordinal: ordinalOf(groups.ordinal),
    label: (groups.label ?? '').toLowerCase(),
    value: valueOf(groups.value ?? '', quotes),
  };
}

/** A detail of a page or post and its value. */
export function detail(
  word: string | undefined,
  ref: string | undefined,
  value: string | undefined,
  quotes: Clause['quotes'],
): Request {
  const name = DETAIL_WORDS[(word ?? '').toLowerCase()] ?? 'title';
  const text = name === 'tags' ? tagsOf(value ?? '', quotes) : valueOf(value ?? '', quotes);
  return { intent: 'change-detail', ref: nameOf(ref, quotes), detail: name, value: text };
}

/** Whose changes to show. */
export function changes(ref: string | undefined, quotes: Clause['quotes']): Request {
  return ref === undefined ? { intent: 'changes' } : { intent: 'changes', ref: nameOf(ref, quotes) };
}

/** Which section is meant. */
export function sectionOf(groups: Groups) {
  return { type: sectionTypeOf(groups.section ?? ''), ordinal: ordinalOf(groups.ordinal) };
}

/** Page, or post for all its other names. */
export function entryType(word: string | undefined): 'page' | 'post' {
  return /^page/i.test(word ?? '') ? 'page' : 'post';
}

/** A small number in words or digits; 1 for none. */
export function countOf(word: string | undefined): number {
  if (word === undefined) return 1;
  return { two: 2, three: 3 }[word.toLowerCase()] ?? Math.max(1, Number(word));
}

type Options = Partial<Record<'about' | 'text' | 'slug' | 'excerpt' | 'author' | 'tags', string>>;

/** `about` stands in lower case: "All About Bread" is a title. */
const OPTION =
  / (?:(?<about>about)|saying|that says|(?:and|with)(?: the| an| a)? (?<option>text|body|content|slug|excerpt|author|tags?)(?: of| as|:)?) /g;

/** Reads what follows "create a page": its name, then `about ...`, `with the text ...` and other options. */
export function readNewEntry(type: EntryType, rest: string, quotes: Clause['quotes']): Request | null {
  const found = [...`${rest} `.matchAll(OPTION)];
  const name = rest
    .slice(0, found[0]?.index)
    .replace(/^,? (?:called|named|titled|entitled|for|with the (?:title|name)) /i, ' ');
  const options: Options = {};
  for (const [index, match] of found.entries()) {
    const value = rest.slice(match.index + match[0].length, found[index + 1]?.index);
    options[optionOf(match.groups ?? {})] ??= value;
  }
  const about = options.about === undefined ? undefined : valueOf(options.about, quotes);
  const title = name.trim() === '' ? capitalized(about ?? '') : nameOfNew(name, quotes);
  if (title === '') return null;
  return {
    intent: 'create',
    type,
    title,
    ...(about === undefined ? {} : { about }),
    ...(options.text === undefined ? {} : { text: valueOf(options.text, quotes) }),
    details: readDetails(options, quotes),
  };
}

/** The tags in `a, b and c` or `"a, b"`. */
function tagsOf(text: string, quotes: Clause['quotes']): string[] {
  return text
    .split(/, and |, | and /i)
    .flatMap((piece) => valueOf(piece, quotes).split(/, ?/))
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

function optionOf({ about, option }: Readonly<Record<string, string | undefined>>): keyof Options {
  if (about !== undefined) return 'about';
  switch (option) {
    case 'slug':
    case 'excerpt':
    case 'author':
      return option;
    case 'tag':
    case 'tags':
      return 'tags';
    default:
      return 'text';
  }
}

function readDetails(options: Options, quotes: Clause['quotes']): RequestOf<'create'>['details'] {
  const details: RequestOf<'create'>['details'] = {};
  for (const name of ['slug', 'excerpt', 'author'] as const) {
    if (options[name] !== undefined) details[name] = valueOf(options[name], quotes);
  }
  if (options.tags !== undefined) details.tags = tagsOf(options.tags, quotes);
  return details;
}

/** A title in quotation marks is taken as it is; one without keeps its "the". */
function nameOfNew(name: string, quotes: Clause['quotes']): string {
  const value = valueOf(name, quotes);
  return value === '' ? nameOf(name, quotes) : value;
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** The colours that can be named; any other is given as `#rrggbb`. */
const COLORS: Readonly<Record<string, string>> = {
  black: '#000000',
  blue: '#1d4ed8',
  brown: '#7c4a21',
  gold: '#b7791f',
  gray: '#6b7280',
  green: '#15803d',
  grey: '#6b7280',
  navy: '#1e3a5f',
  orange: '#c2410c',
  pink: '#be185d',
  purple: '#6d28d9',
  red: '#b91c1c',
  teal: '#0f766e',
  turquoise: '#0e7490',
  yellow: '#a16207',
};

/** `#rrggbb` of a named colour; what is not named is returned as it is, for the tool to judge. */
function colorOf(text: string): string {
  return COLORS[text.toLowerCase()] ?? text;
}

/* Pieces of the patterns in intents.ts, as sources of regular expressions. */

/** A section by its type, and which of several. */
export const SECTION = `(?:(?<ordinal>${ORDINAL_PATTERN}) )?(?<section>${TYPE_PATTERN})`;
/** Between what and where. */
export const ON = '(?:on|of|in|for|at|from)';
/** The navigation. */
export const MENU = '(?:the )?(?:site |main |top )?(?:navigation|nav|menu)(?: menu| bar)?';
/** Asks to be shown something. */
export const ASK = '(?:list|show|give|tell|get|see|view)(?: me)?';
/** Asks for a change. */
export const CHANGE = '(?:change|set|update|edit|replace|make)';
/** Between what and its new value. */
export const TO = '(?:to|with|as|to be)';

/** What people call the settings. */
const SETTING_WORDS: Readonly<Record<string, keyof SiteSettings>> = {
  'site name': 'siteName',
  'site title': 'siteName',
  'name of the site': 'siteName',
  tagline: 'tagline',
  slogan: 'tagline',
  footer: 'footerText',
  'footer text': 'footerText',
  'contact email': 'contactEmail',
  'contact e-mail': 'contactEmail',
  'contact address': 'contactEmail',
  'accent colour': 'accentColor',
  'accent color': 'accentColor',
};
/** What people call the details of a page or post. */
const DETAIL_WORDS: Readonly<Record<string, Detail>> = {
  title: 'title',
  name: 'title',
  slug: 'slug',
  url: 'slug',
  excerpt: 'excerpt',
  description: 'excerpt',
  summary: 'excerpt',
  author: 'author',
  tags: 'tags',
  'cover image': 'image',
};
const words = (table: Readonly<Record<string, unknown>>) =>
  Object.keys(table)
    .toSorted((a, b) => b.length - a.length)
    .join('|');
/** Alternatives that match a setting. */
export const SETTING = words(SETTING_WORDS);
/** Alternatives that match a detail. */
export const DETAIL = words(DETAIL_WORDS);
