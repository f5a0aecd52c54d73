/** Texts of the site itself, around the content of its editors. */
export const siteStrings = {
  skip: 'Skip to the content',
  navigation: 'Main',
  allPosts: 'All posts',
  feed: (site: string) => `Posts of ${site}`,
  noPosts: 'Nothing here yet.',
  optional: '(optional)',
  pictures: 'Pictures',
  /** Texts around the fields of a form, for visitors. */
  form: {
    choose: 'Please choose',
    thanks: 'Thank you. Your message was sent.',
    trap: 'Leave this field empty',
    refused: {
      answers: 'Not sent yet. Please correct what is marked below, then send it again.',
      trap: 'Not sent yet: a field that should stay empty was filled in, perhaps by your browser. Please send it again.',
      fast: 'Not sent yet: that was faster than we expect of people. Please look through it and send it again.',
      often: 'Not sent: very many messages came from your network. Please wait an hour, then send it again.',
      full: 'Not sent: no more messages can be taken at the moment. Please try again later, or write to us another way.',
    },
    problems: {
      missing: 'Please fill this in.',
      email: 'This is no e-mail address, like name@example.org.',
      phone: 'This is no phone number.',
      number: 'This is no number.',
      choice: 'Please choose one of the answers.',
      long: 'This is too long.',
    },
  },
  notFound: {
    title: 'Not found',
    heading: 'Page not found',
    body: 'The page may have moved, or it never existed.',
    home: 'Back to the start',
  },
  gone: {
    heading: 'This page is gone',
    body: 'What was here has been taken off this site.',
    home: 'Back to the start',
  },
} as const;
