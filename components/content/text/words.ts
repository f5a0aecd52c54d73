/** The words of the site itself, around what its editors write. */
export const siteStrings = {
  skip: 'Skip to the content',
  navigation: 'Main',
  allPosts: 'All posts',
  draft: 'Draft',
  noPosts: 'Nothing here yet.',
  optional: '(optional)',
  /** Shown to editors, in the preview. */
  tooHeavy:
    'This text has more markup than can be shown, so it is shown as plain text. Split it into several sections, or remove markup that has no effect.',
  formUnconnected: 'This form is not connected yet.',
  notFound: {
    title: 'Not found',
    heading: 'Page not found',
    body: 'The page may have moved, or it never existed.',
    home: 'Back to the start',
  },
} as const;
