import { inYourLanguage } from '#components/in-your-language.ts';
import { sectionWords } from '#sections/labels';
import type { SectionType } from '#server/core/site/content';
import type { SectionFields } from '#server/core/site/section-fields';

/** Names of all fields of a value, including those of items. */
type NamesIn<Value> = Value extends readonly (infer Item)[]
  ? NamesIn<Item>
  : Value extends object
    ? { [Name in keyof Value & string]: Name | NamesIn<Value[Name]> }[keyof Value & string]
    : never;

type FieldNameOf<Type extends SectionType> = NamesIn<Required<SectionFields<Type>>>;
type SectionFieldName = { [Type in SectionType]: FieldNameOf<Type> }[SectionType];
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

/** Texts for one field. */
export interface FieldWords {
  readonly label: string;
  /** Help below the control. */
  readonly help?: string;
  /** Name of one item of a list: `Question`. */
  readonly item?: string;
  /** Names of the choices; `''` stands for no choice. */
  readonly choices?: Readonly<Record<string, string>>;
}

/** Texts for fields that several kinds of sections have, or that need no others. */
const sharedFieldWords = {
  heading: { label: 'Heading' },
  subheading: { label: 'Subheading' },
  image: { label: 'Picture' },
  imageAlt: { label: 'Description of the picture', help: 'What it shows, for people who cannot see it.' },
  ctaLabel: { label: 'Button label', help: 'Leave empty for no button.' },
  ctaHref: { label: 'Button link' },
  body: { label: 'Text' },
  src: { label: 'Picture' },
  alt: {
    label: 'Description of the picture',
    help: 'What it shows, for people who cannot see it. Empty: it is decoration only.',
  },
  caption: { label: 'Caption', help: 'Shown below the picture.' },
  images: { label: 'Pictures', item: 'Picture' },
  intro: { label: 'Introduction' },
  items: { label: 'Items', item: 'Item' },
  title: { label: 'Title' },
  quote: { label: 'Quote' },
  author: { label: 'Author' },
  role: { label: 'About the author', help: 'For example: potter, Falmouth.' },
  question: { label: 'Question' },
  answer: { label: 'Answer' },
  buttonLabel: { label: 'Button label' },
  buttonHref: { label: 'Button link' },
  fields: { label: 'Fields', item: 'Field' },
  label: { label: 'Label' },
  kind: {
    label: 'Type of answer',
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
  required: { label: 'Required' },
  options: { label: 'Answers to choose from', item: 'Answer', help: 'For a choice. Enter adds one.' },
  submitLabel: { label: 'Button label' },
  thanks: { label: 'Thank-you message', help: 'Replaces the form once it is sent. Empty: a short thank-you.' },
  thanksPage: { label: 'Thank-you page', help: 'Opens once the form is sent, instead of the message above.' },
  count: { label: 'Number of posts' },
  tag: { label: 'Only posts with this tag' },
  html: { label: 'HTML', help: 'Scripts and event attributes are removed when it is shown.' },
  layout: { label: 'Layout' },
  block: { label: 'Block of the CMS', help: 'Where it came from. Needed to write it back.' },
} as const satisfies Partial<Record<SectionFieldName, FieldWords>>;

type SharedFieldName = keyof typeof sharedFieldWords;

/** Texts of a kind of section; a new field without texts does not compile. */
type KindWords<Type extends SectionType> = {
  readonly name: string;
  /** One sentence in the list of kinds. */
  readonly purpose: string;
} & KindFieldWords<Exclude<FieldNameOf<Type>, SharedFieldName>>;

/** Texts for fields that no other kind has (`OwnName`), or that have another name in this kind. */
type KindFieldWords<OwnName extends string> = [OwnName] extends [never]
  ? { readonly fields?: Partial<Record<SectionFieldName, FieldWords>> }
  : { readonly fields: Partial<Record<SectionFieldName, FieldWords>> & Readonly<Record<OwnName, FieldWords>> };

/** Names and descriptions of every kind of section. */
export const kindWords: { readonly [Type in SectionType]: KindWords<Type> } = inYourLanguage('kindWords', sectionWords);

/** Texts for each field of a section that is not in the words of its kind. */
export const sectionFieldWords: Readonly<Record<SharedFieldName, FieldWords>> = inYourLanguage(
  'sectionFieldWords',
  sharedFieldWords,
);

/** Texts for the fields of a page outside its sections; names of `seo` fields have the prefix `seo.`. */
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

/** Texts for a field in a section of this kind. */
export function fieldWords(type: SectionType, name: string): FieldWords {
  const { fields }: { readonly fields?: Partial<Record<string, FieldWords>> } = kindWords[type];
  return fields?.[name] ?? sectionFieldWords[name as SharedFieldName];
}
