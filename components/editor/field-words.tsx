import { inYourLanguage } from '#components/in-your-language';
import type { SectionType } from '#server/core/content';
import type { SectionFields } from '#server/core/section-fields';

/** Names of all fields of a value, those of items included. */
type NamesIn<Value> = Value extends readonly (infer Item)[]
  ? NamesIn<Item>
  : Value extends object
    ? { [Name in keyof Value & string]: Name | NamesIn<Value[Name]> }[keyof Value & string]
    : never;

type SectionFieldName = { [Type in SectionType]: NamesIn<Required<SectionFields<Type>>> }[SectionType];
type PageFieldName =
  | 'excerpt'
  | 'tags'
  | 'author'
  | 'terms'
  | 'custom'
  | 'seo'
  | 'seo.title'
  | 'seo.description'
  | 'seo.image'
  | 'seo.noIndex';

/** Words of one field. */
export interface FieldWords {
  readonly label: string;
  /** Help below the control. */
  readonly help?: string;
  /** One item of a list: `Question`. */
  readonly item?: string;
  /** Names of the choices; that of `''` is for none. */
  readonly choices?: Readonly<Record<string, string>>;
}

interface KindWords {
  readonly name: string;
  /** One sentence in the list of kinds. */
  readonly purpose: string;
  /** Words for fields that are called otherwise in this kind. */
  readonly fields?: Partial<Record<SectionFieldName, FieldWords>>;
}

/** Every kind of section as people see it. */
export const kindWords: Readonly<Record<SectionType, KindWords>> = inYourLanguage('kindWords', {
  hero: {
    name: 'Opening',
    purpose: 'Opens a page with a large heading, a few words, a picture and a button.',
    fields: {
      heading: { label: 'Heading', help: 'The first thing that visitors read on this page.' },
      layout: {
        label: 'Layout',
        choices: { '': 'Words first', centered: 'Centred', 'picture-first': 'Picture first' },
      },
    },
  },
  text: {
    name: 'Text',
    purpose: 'Running text with headings, lists and links.',
  },
  image: { name: 'Picture', purpose: 'One picture, with a caption if you like.' },
  gallery: {
    name: 'Gallery',
    purpose: 'Several pictures side by side.',
    fields: {
      layout: {
        label: 'Layout',
        choices: { '': 'As many as fit', 'two-columns': 'Two columns', row: 'One row to scroll' },
      },
    },
  },
  features: {
    name: 'Points',
    purpose: 'Short points beside each other, each with a title and a few words.',
    fields: {
      items: { label: 'Points', item: 'Point' },
      body: { label: 'Text' },
      title: { label: 'Title' },
      layout: {
        label: 'Layout',
        choices: {
          '': 'As many as fit',
          'two-columns': 'Two columns',
          'three-columns': 'Three columns',
          'four-columns': 'Four columns',
          list: 'List',
        },
      },
    },
  },
  quote: { name: 'Quote', purpose: 'Somebody’s words, large, with their name.' },
  faq: {
    name: 'FAQ',
    purpose: 'Questions that open to their answers.',
    fields: { items: { label: 'Questions', item: 'Question' } },
  },
  'call-to-action': {
    name: 'Call to action',
    purpose: 'Asks for one step, with a button.',
    fields: { body: { label: 'Text' } },
  },
  form: {
    name: 'Form',
    purpose: 'Visitors write to you. What they send is in the library, under Messages.',
    fields: { fields: { label: 'What is asked for', item: 'Field' }, label: { label: 'Name of the field' } },
  },
  'posts-list': {
    name: 'Newest posts',
    purpose: 'The newest posts, by itself up to date.',
  },
  html: {
    name: 'HTML',
    purpose: 'For what no other section can hold, written as HTML and cleaned when shown.',
  },
});

/** Words of each field of a section; a new field without words does not compile. */
export const sectionFieldWords: Readonly<Record<SectionFieldName, FieldWords>> = inYourLanguage('sectionFieldWords', {
  heading: { label: 'Heading' },
  subheading: { label: 'Words below the heading' },
  image: { label: 'Picture' },
  imageAlt: { label: 'Description of the picture', help: 'What it shows, for people who cannot see it.' },
  ctaLabel: { label: 'Words on the button', help: 'Empty: there is no button.' },
  ctaHref: { label: 'Where the button leads' },
  body: { label: 'Text' },
  src: { label: 'Picture' },
  alt: {
    label: 'Description of the picture',
    help: 'What it shows, for people who cannot see it. Empty: it is decoration only.',
  },
  caption: { label: 'Caption', help: 'Stands below the picture.' },
  images: { label: 'Pictures', item: 'Picture' },
  intro: { label: 'Words below the heading' },
  items: { label: 'Items', item: 'Item' },
  title: { label: 'Title' },
  quote: { label: 'Words' },
  author: { label: 'Who said it' },
  role: { label: 'Who that is', help: 'For example: potter, Falmouth.' },
  question: { label: 'Question' },
  answer: { label: 'Answer' },
  buttonLabel: { label: 'Words on the button' },
  buttonHref: { label: 'Where the button leads' },
  fields: { label: 'Fields', item: 'Field' },
  label: { label: 'Label' },
  kind: {
    label: 'Kind of answer',
    choices: {
      text: 'One line',
      email: 'E-mail address',
      phone: 'Phone number',
      number: 'Number',
      choice: 'One of several answers',
      textarea: 'Several lines',
      consent: 'Box to tick, for consent',
    },
  },
  required: { label: 'Has to be filled in' },
  options: { label: 'Answers to choose from', item: 'Answer', help: 'For a choice. Enter adds one.' },
  submitLabel: { label: 'Words on the button' },
  thanks: { label: 'Thanks', help: 'Stands in place of the form once it is sent. Empty: a short thank-you.' },
  thanksPage: { label: 'Page of thanks', help: 'Opens once the form is sent, instead of the thanks above.' },
  count: { label: 'Number of posts' },
  tag: { label: 'Only posts with this tag' },
  html: { label: 'HTML', help: 'Scripts and event attributes are taken out when it is shown.' },
  layout: { label: 'Layout' },
  block: { label: 'Block of the CMS', help: 'Where it came from. Needed to write it back.' },
});

/** Words of the fields of a page beside its sections, those of `seo` with that in front. */
export const pageFieldWords: Readonly<Record<PageFieldName | 'title' | 'image', FieldWords>> = inYourLanguage(
  'pageFieldWords',
  {
    title: { label: 'Title' },
    excerpt: { label: 'Short description', help: 'One or two sentences, for lists of posts and for search engines.' },
    tags: { label: 'Tags', item: 'Tag' },
    author: { label: 'Author' },
    terms: { label: 'Groups and fields of the CMS' },
    custom: { label: 'Custom fields' },
    image: { label: 'Picture', help: 'For lists and for previews of links.' },
    seo: { label: 'In search engines' },
    'seo.title': { label: 'Title in search engines', help: 'Empty: the title of the page.' },
    'seo.description': { label: 'Description in search engines', help: 'Empty: the short description.' },
    'seo.image': { label: 'Picture in previews of links', help: 'Empty: the picture of the page.' },
    'seo.noIndex': { label: 'Ask search engines to leave this page out' },
  },
);

/** Words of a field in a section of this kind. */
export function fieldWords(type: SectionType, name: string): FieldWords {
  const field = name as SectionFieldName;
  return kindWords[type].fields?.[field] ?? sectionFieldWords[field];
}
