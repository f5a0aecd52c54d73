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
  homeSlug: 'home page',
  contactEmail: 'contact e-mail',
  accentColor: 'accent colour',
  language: 'language of the site',
};

/** Display name of a field or site setting for use in a sentence: `SEO details`, `nav label`. */
export function fieldName(field: string): string {
  return FIELD_NAMES[field] ?? field.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
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

/** Adds the indefinite article: `an image`, `a text`. Correct for the existing section types and field names. */
export function withArticle(noun: string): string {
  return `${/^(?:[aeiou]|HTML$)/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
