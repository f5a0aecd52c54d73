import { QUOTED, valueOf } from '#server/models/offline/grammar';
import type { Clause } from '#server/models/offline/grammar';
import type { Fields } from '#server/models/offline/requests';
import type { SectionType } from '#server/core/content';
import type { JsonValue } from '#server/core/json';

/** What people call the section types. */
const TYPE_WORDS: Readonly<Record<string, SectionType>> = {
  hero: 'hero',
  banner: 'hero',
  text: 'text',
  paragraph: 'text',
  image: 'image',
  picture: 'image',
  gallery: 'gallery',
  features: 'features',
  feature: 'features',
  quote: 'quote',
  testimonial: 'quote',
  faq: 'faq',
  'call-to-action': 'call-to-action',
  'call to action': 'call-to-action',
  cta: 'call-to-action',
  form: 'form',
  'contact form': 'form',
  'posts-list': 'posts-list',
  'posts list': 'posts-list',
  'list of posts': 'posts-list',
  'latest posts': 'posts-list',
  html: 'html',
};

/** `items.x` is a field of the list's entries: its first one opens a new entry. */
const LABELS: Readonly<Record<SectionType, Readonly<Record<string, string>>>> = {
  hero: {
    heading: 'heading',
    headline: 'heading',
    title: 'heading',
    subheading: 'subheading',
    subtitle: 'subheading',
    text: 'subheading',
    image: 'image',
    'button label': 'ctaLabel',
    'button text': 'ctaLabel',
    button: 'ctaLabel',
    'button link': 'ctaHref',
    link: 'ctaHref',
  },
  text: { heading: 'heading', title: 'heading', text: 'body', body: 'body', content: 'body' },
  image: { image: 'src', url: 'src', src: 'src', 'alt text': 'alt', alt: 'alt', caption: 'caption' },
  gallery: { heading: 'heading', title: 'heading', image: 'images.src', alt: 'images.alt', caption: 'images.caption' },
  features: {
    heading: 'heading',
    title: 'heading',
    intro: 'intro',
    feature: 'items.title',
    text: 'items.body',
    description: 'items.body',
  },
  quote: { quote: 'quote', text: 'quote', author: 'author', by: 'author', role: 'role' },
  faq: { heading: 'heading', title: 'heading', question: 'items.question', answer: 'items.answer' },
  'call-to-action': {
    heading: 'heading',
    title: 'heading',
    text: 'body',
    body: 'body',
    'button label': 'buttonLabel',
    'button text': 'buttonLabel',
    button: 'buttonLabel',
    'button link': 'buttonHref',
    link: 'buttonHref',
  },
  form: {
    heading: 'heading',
    title: 'heading',
    intro: 'intro',
    text: 'intro',
    'button label': 'submitLabel',
    'button text': 'submitLabel',
    button: 'submitLabel',
  },
  'posts-list': { heading: 'heading', title: 'heading', count: 'count', tag: 'tag' },
  html: { html: 'html', content: 'html' },
};

/** Where content without a label goes. */
const MAIN_FIELD: Partial<Record<SectionType, string>> = {
  hero: 'heading',
  text: 'body',
  image: 'src',
  quote: 'quote',
  'call-to-action': 'heading',
  html: 'html',
};

/** The fields that open an entry of a list, and what an entry needs besides. */
const ITEM_START: Readonly<Record<string, Fields>> = {
  'images.src': { alt: '' },
  'items.title': { body: '' },
  'items.question': {},
};

const byLength = (a: string, b: string) => b.length - a.length;

/** Alternatives that match a section type's name. */
export const TYPE_PATTERN = Object.keys(TYPE_WORDS).toSorted(byLength).join('|');
/** Alternatives that match any field label. */
export const LABEL_PATTERN = [...new Set(Object.values(LABELS).flatMap((labels) => Object.keys(labels)))]
  .toSorted(byLength)
  .join('|');

/** The section type that this word names; the word has matched `TYPE_PATTERN`. */
export function sectionTypeOf(word: string): SectionType {
  return TYPE_WORDS[word.toLowerCase()] ?? 'text';
}

/** The field that `label` names in a section of this type; undefined where it has none, or only in list entries. */
export function fieldOf(type: SectionType, label: string): string | undefined {
  const field = LABELS[type][label.toLowerCase()];
  return field?.includes('.') ? undefined : field;
}

/**
 * Reads `heading "A" and the text "B"`. A label counts when a quoted string follows it, or, for values without
 * quotes, at the start and after "and", "with" or a comma. Content without any label becomes the main field.
 */
export function readFields(type: SectionType, text: string, quotes: Clause['quotes']): Fields {
  const found = findLabels(type, text);
  if (found.length === 0) {
    const main = MAIN_FIELD[type];
    return main === undefined || text.trim() === '' ? {} : { [main]: valueOf(text, quotes) };
  }
  const fields: Fields = {};
  for (const [index, { field, from }] of found.entries()) {
    const value = valueOf(text.slice(from, found[index + 1]?.at), quotes);
    setField(fields, field, field === 'count' && /^\d{1,3}$/.test(value) ? Number(value) : value);
  }
  return fields;
}

function findLabels(type: SectionType, text: string): { field: string; at: number; from: number }[] {
  const labels = Object.keys(LABELS[type]).toSorted(byLength).join('|');
  const pattern = new RegExp(
    `(?<lead>^|,? and (?:with )?|, | with |,? )(?:(?:the|a|an|its) )?(?<label>${labels})(?::| =|(?: is| of)(?= ${QUOTED}))? (?:(?<quoted>(?=${QUOTED}))|(?!${QUOTED}))`,
    'gi',
  );
  return [...text.matchAll(pattern)].flatMap((match) => {
    const { lead = '', label = '', quoted } = match.groups ?? {};
    const field = LABELS[type][label.toLowerCase()];
    if (field === undefined || (quoted === undefined && lead === ' ')) return [];
    return [{ field, at: match.index, from: match.index + match[0].length }];
  });
}

function setField(fields: Fields, field: string, value: JsonValue): void {
  const [list, key] = field.split('.');
  if (list === undefined || key === undefined) {
    fields[field] = value;
    return;
  }
  const items = Array.isArray(fields[list]) ? fields[list] : [];
  fields[list] = items;
  const needs = ITEM_START[field];
  const last = items.at(-1);
  if (needs !== undefined || last === undefined) items.push({ [key]: value, ...needs });
  else if (typeof last === 'object' && last !== null && !Array.isArray(last)) last[key] = value;
}
