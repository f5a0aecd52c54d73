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
    'This text holds more markup than can be shown: it stands here as plain words. Split it into several sections, or take out markup that does nothing.',
  formUnconnected: 'This form is not connected yet.',
  notFound: {
    title: 'Not found',
    heading: 'There is nothing at this address',
    body: 'The page may have moved, or it was never here.',
    home: 'Back to the start',
  },
} as const;
