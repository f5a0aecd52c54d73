import { inYourLanguage } from '#components/in-your-language.ts';

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

/** Texts in the preview, for editors only. */
export const editorStrings = inYourLanguage('editorStrings', {
  draft: 'Draft',
  tooHeavy:
    'This text has more markup than can be shown, so it is shown as plain text. Split it into several sections, or remove markup that has no effect.',
  /** @param names `<iframe>, <script>` */
  removed: (names: string) => `The site removes ${names} from this HTML. Visitors do not see it. Use a link instead.`,
  /** Replaces content that is not visible to visitors here. */
  notShown: (what: string) =>
    `${what}: only a plugin or WordPress itself knows what this shows. Visitors see nothing here. Write what it should say in its place, or delete this section.`,
  /** Shown for an empty field. */
  empty: {
    title: 'Title',
    heading: 'Heading',
    subheading: 'A few words',
    intro: 'A few words',
    excerpt: 'Short description',
    body: 'Write something …',
    html: 'Nothing here yet. Double-click to write HTML.',
    quote: 'What somebody said',
    author: 'Who said it',
    role: 'Who that is',
    question: 'Question',
    answer: 'Answer',
    caption: 'Caption',
    label: 'Name of the field',
    ctaLabel: 'Button',
    buttonLabel: 'Button',
    submitLabel: 'Button',
    thanks: 'Thank you',
    items: 'Nothing here yet. Double-click to add the first one.',
    images: 'No pictures yet. Double-click to add the first one.',
  },
  /** Shown in an earlier state of the site. */
  notThen: {
    heading: 'This page did not exist then',
    body: 'There was no page at this address at that time.',
    home: 'To the start page of that time',
  },
  /** Shown for a site without pages. */
  noPages: {
    heading: 'No page yet',
    body: 'The first page that you ask for appears here.',
  },
});
