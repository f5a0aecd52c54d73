import { number } from '#components/format.ts';
import { inYourLanguage } from '#components/in-your-language.ts';

/** Texts of the rich text editor. */
export const richTextStrings = inYourLanguage('richTextStrings', {
  toolbar: 'Formatting',
  bold: 'Bold',
  italic: 'Italic',
  link: 'Link',
  control: 'Ctrl',
  /** Name of a tool with its shortcut. */
  withKeys: (name: string, keys: string) => `${name} (${keys})`,
  heading: 'Heading',
  copyingPictures: (count: number) =>
    count === 1 ? 'Uploading 1 pasted picture…' : `Uploading ${number.format(count)} pasted pictures…`,
  picturesFailed: (count: number) =>
    count === 1 ? '1 picture could not be uploaded.' : `${number.format(count)} pictures could not be uploaded.`,
  picturesNotCopied: (count: number) =>
    count === 1
      ? '1 picture was not pasted: the program did not copy its file. Save it there and add it here as a file.'
      : `${number.format(count)} pictures were not pasted: the program did not copy their files. Save them there and add them here as files.`,
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
