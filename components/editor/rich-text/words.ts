import { inYourLanguage } from '#components/in-your-language';

/** The words around a text that is being written. */
export const richTextStrings = inYourLanguage('richTextStrings', {
  toolbar: 'Formatting',
  bold: 'Bold',
  italic: 'Italic',
  link: 'Link',
  control: 'Ctrl',
  /** A tool with its keys. */
  withKeys: (name: string, keys: string) => `${name} (${keys})`,
  heading: 'Heading',
  bullets: 'Bulleted list',
  numbers: 'Numbered list',
  quote: 'Quote',
  linkTo: 'Where the link leads',
  linkHint: 'Search for a page, or write an address',
  linkApply: 'Link',
  linkRemove: 'Remove the link',
  linkUnknown: 'No page is called that, and an address begins with https://, mailto: or /.',
  pagesFailed: 'The pages could not be loaded. You can write an address.',
});
