const MAX_TITLE_LENGTH = 60;

/** Fields and settings that are not called by the words of their names. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  seo: 'SEO details',
  homeSlug: 'home page',
  contactEmail: 'contact e-mail',
  accentColor: 'accent colour',
};

/** The name of a field or site setting in a sentence: `SEO details`, `nav label`. */
export function fieldName(field: string): string {
  return FIELD_NAMES[field] ?? field.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

/** The name of a section type in a sentence: `FAQ`, `call to action`. */
export function sectionName(type: string): string {
  return type === 'faq' ? 'FAQ' : type.replaceAll('-', ' ');
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
