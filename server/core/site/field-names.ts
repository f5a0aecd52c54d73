import type { ServerText } from '#server/core/coded-message';

/** Display names of fields and settings that differ from their keys; the screens use the same names. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  slug: 'address',
  excerpt: 'short description',
  seo: 'SEO details',
  terms: 'groups',
  custom: 'custom fields',
  intro: 'introduction',
  ctaLabel: 'button label',
  submitLabel: 'button label',
  ctaHref: 'button link',
  buttonHref: 'button link',
  src: 'picture',
  alt: 'description',
  imageAlt: 'description of the picture',
  html: 'HTML',
  firstDay: 'day',
  lastDay: 'last day',
  homeSlug: 'home page',
  contactEmail: 'contact e-mail',
  accentColor: 'accent colour',
  language: 'language of the site',
  palette: 'colours',
  ink: 'text',
  paper: 'background',
  isSticky: 'stays in view',
  phoneMenu: 'menu on phones',
  typeScale: 'size of headings',
  sectionStyle: 'look of sections',
  button: 'buttons',
  appearance: 'light and dark',
};

/** Display name of a field or site setting for use in a sentence: `SEO details`, `nav label`. */
export function fieldName(field: string): string {
  return FIELD_NAMES[field] ?? field.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

/** The name of a field or site setting as a part of a sentence. A name without a translation stays English. */
export function fieldText(field: string): ServerText {
  return { code: `field.${field}`, params: {}, text: fieldName(field) };
}

/** Display names of section types that differ from their keys; the screens use the same names. */
const SECTION_NAMES: Readonly<Record<string, string>> = {
  image: 'picture',
  features: 'highlights',
  faq: 'FAQ',
  html: 'HTML',
  'posts-list': 'newest posts',
};

/** Display name of a section type for use in a sentence: `FAQ`, `call to action`. */
export function sectionTypeName(type: string): string {
  return SECTION_NAMES[type] ?? type.replaceAll('-', ' ');
}

/** The name of a section type as a part of a sentence. */
export function sectionTypeText(type: string): ServerText {
  return { code: `section.${type}`, params: {}, text: sectionTypeName(type) };
}

/** Adds the indefinite article: `an image`, `a text`. Correct for the existing section types and field names. */
export function withArticle(noun: string): string {
  return `${articleOf(noun)} ${noun}`;
}

/** The English indefinite article before a noun. */
export function articleOf(noun: string): 'a' | 'an' {
  return /^(?:[aeiou]|HTML$)/i.test(noun) ? 'an' : 'a';
}
