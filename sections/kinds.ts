/*
 * Written by `npx vitest run sections -u` from the folders of the kinds; the test fails when a kind is missing.
 */
/** Small picture of every kind. */
export const sketches = {
  hero: [['title', 'picture'], 'short', 'button'],
  text: ['title', 'line', 'line', 'short'],
  image: ['picture', 'short'],
  video: ['title', 'picture'],
  gallery: ['title', ['picture', 'picture', 'picture']],
  features: ['title', ['box', 'box', 'box']],
  'price-list': ['title', ['short', 'field'], ['short', 'field'], ['short', 'field']],
  timetable: ['title', ['short', 'short', 'short'], ['box', 'box', 'box'], ['field', 'field', 'field']],
  'opening-hours': ['title', ['short', 'field'], ['short', 'field'], 'short'],
  team: ['title', ['picture', 'picture', 'picture'], ['short', 'short', 'short']],
  steps: ['title', 'field', 'field', 'field'],
  logos: ['title', ['box', 'box', 'box', 'box']],
  map: ['picture', 'short', 'button'],
  table: ['title', ['field', 'field', 'field'], ['field', 'field', 'field'], ['field', 'field', 'field']],
  downloads: ['title', ['field', 'short'], ['field', 'short']],
  quote: ['quote', 'line', 'short'],
  testimonials: ['title', ['quote', 'quote', 'quote'], ['short', 'short', 'short']],
  faq: ['title', 'fold', 'fold', 'fold'],
  'call-to-action': ['title', 'short', 'button'],
  form: ['title', 'field', 'field', 'button'],
  'posts-list': ['title', ['box', 'short'], ['box', 'short']],
  html: ['code', 'code', 'code'],
} as const;

/** Layouts of every kind besides its default one. */
export const layouts = {
  hero: ['centered', 'picture-first', 'cover', 'band'],
  text: ['two-columns', 'heading-beside'],
  image: ['narrow', 'full-width'],
  video: ['narrow'],
  gallery: ['two-columns', 'row'],
  features: ['two-columns', 'three-columns', 'four-columns', 'list', 'cards'],
  'price-list': ['two-columns', 'cards'],
  timetable: ['list'],
  'opening-hours': ['two-columns'],
  team: ['list'],
  steps: ['columns'],
  logos: ['boxes'],
  map: ['two-columns'],
  table: ['row-headings'],
  downloads: ['cards'],
  quote: ['centered', 'boxed'],
  testimonials: ['two-columns', 'list'],
  faq: ['open', 'two-columns'],
  'call-to-action': ['centered', 'plain'],
  form: ['heading-beside', 'boxed'],
  'posts-list': ['list', 'titles'],
  html: [],
} as const;
