/** The words of the site itself, around what its editors write. */
export const siteStrings = {
  skip: 'Skip to the content',
  navigation: 'Main',
  allPosts: 'All posts',
  draft: 'Draft',
  noPosts: 'Nothing here yet.',
  optional: '(optional)',
  formUnconnected: 'This form is not connected yet.',
  notFound: {
    title: 'Not found',
    heading: 'There is nothing at this address',
    body: 'The page may have moved, or it was never here.',
    home: 'Back to the start',
  },
} as const;
