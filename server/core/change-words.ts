const MAX_TITLE_LENGTH = 60;

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
export function sectionName(type: string): string {
  return SECTION_NAMES[type] ?? type.replaceAll('-', ' ');
}

/** A title on one line of at most 60 characters. */
export function shortTitle(title: string): string {
  return title.length <= MAX_TITLE_LENGTH
    ? title
    : `${title
        .slice(0, MAX_TITLE_LENGTH - 1)
        .trimEnd()
        .toWellFormed()}…`;
}

/** Characters in front of the first difference between two texts that are told apart by it. */
const BEFORE_DIFFERENCE = 20;

/** Two texts on one line of at most 60 characters each: long ones begin shortly before they differ. */
export function shortPair(before: string, after: string): readonly [string, string] {
  const isLong = Math.max(before.length, after.length) > MAX_TITLE_LENGTH;
  const least = firstDifference(before, after) - BEFORE_DIFFERENCE;
  if (!isLong || least <= BEFORE_DIFFERENCE) return [shortTitle(before), shortTitle(after)];
  const space = before.slice(least, least + BEFORE_DIFFERENCE).indexOf(' ');
  const from = least + space + 1;
  return [shortTitle(`…${before.slice(from).toWellFormed()}`), shortTitle(`…${after.slice(from).toWellFormed()}`)];
}

/** Number of characters in which two texts begin alike. */
export function firstDifference(before: string, after: string): number {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  return at;
}
