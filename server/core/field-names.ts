/** Fields and settings that are not called by the words of their names; the screens call them the same. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  slug: 'address',
  excerpt: 'short description',
  seo: 'SEO details',
  terms: 'groups',
  custom: 'custom fields',
  subheading: 'words below the heading',
  intro: 'words below the heading',
  ctaLabel: 'words on the button',
  buttonLabel: 'words on the button',
  submitLabel: 'words on the button',
  ctaHref: 'where the button leads',
  buttonHref: 'where the button leads',
  src: 'picture',
  alt: 'description',
  imageAlt: 'description of the picture',
  html: 'HTML',
  homeSlug: 'home page',
  contactEmail: 'contact e-mail',
  accentColor: 'accent colour',
  redirects: 'addresses that lead on',
};

/** The name of a field or site setting in a sentence: `SEO details`, `nav label`. */
export function fieldName(field: string): string {
  return FIELD_NAMES[field] ?? field.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

/** Types of sections that are not called by the words of their names; the screens call them the same. */
const SECTION_NAMES: Readonly<Record<string, string>> = {
  hero: 'opening',
  image: 'picture',
  features: 'points',
  faq: 'FAQ',
  html: 'HTML',
  'posts-list': 'newest posts',
};

/** The name of a section type in a sentence: `FAQ`, `call to action`. */
export function sectionTypeName(type: string): string {
  return SECTION_NAMES[type] ?? type.replaceAll('-', ' ');
}

/** `an image`, `a faq`: goes by the first letter, which is right for the section types and field names there are. */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
