import { z } from 'zod';
import { formFieldKinds } from '#server/core/site/site-forms';
import {
  atMost,
  imageSourceSchema,
  line,
  linkSchema,
  pageLinkSchema,
  prose,
  requiredLine,
  requiredProse,
  textKinds,
} from '#server/core/text/safe-text';

/** Maximum number of characters of a text body (markdown). */
const MAX_BODY_LENGTH = 50_000;
/** Maximum number of items of any list inside a section. */
const MAX_LIST_ITEMS = 50;

/** Maximum number of characters of an HTML section: markup of a CMS that no other section type can represent. */
const MAX_HTML_LENGTH = 200_000;

const heading = requiredLine(200);
const intro = prose(2_000);
const caption = line(300);
const alt = line(300);
const label = requiredLine(80);

function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).max(MAX_LIST_ITEMS, atMost(MAX_LIST_ITEMS, 'items'));
}

const imageSchema = z.strictObject({ src: imageSourceSchema, alt, caption: caption.optional() });

/**
 * The fields of each section type. `layout` is omitted for the default layout. Strict: an unknown field is an error,
 * never dropped. Parsing returns the keys in the order written here, so that equal fields are equal text too.
 */
export const sectionFieldSchemas = {
  hero: z.strictObject({
    heading,
    subheading: prose(500).optional(),
    image: imageSourceSchema.optional(),
    imageAlt: alt.optional(),
    ctaLabel: label.optional(),
    ctaHref: linkSchema.optional(),
    layout: z.enum(['centered', 'picture-first']).optional(),
  }),
  text: z.strictObject({
    heading: heading.optional(),
    body: prose(MAX_BODY_LENGTH).register(textKinds, { kind: 'markdown' }),
  }),
  image: imageSchema,
  gallery: z.strictObject({
    heading: heading.optional(),
    images: listOf(imageSchema),
    layout: z.enum(['two-columns', 'row']).optional(),
  }),
  features: z.strictObject({
    heading: heading.optional(),
    intro: intro.optional(),
    items: listOf(z.strictObject({ title: heading, body: prose(2_000) })),
    layout: z.enum(['two-columns', 'three-columns', 'four-columns', 'list']).optional(),
  }),
  quote: z.strictObject({ quote: requiredProse(2_000), author: line(120).optional(), role: line(160).optional() }),
  faq: z.strictObject({
    heading: heading.optional(),
    items: listOf(z.strictObject({ question: requiredLine(400), answer: requiredProse(5_000) })),
  }),
  'call-to-action': z.strictObject({
    heading,
    body: intro.optional(),
    buttonLabel: label,
    buttonHref: linkSchema,
  }),
  form: z.strictObject({
    heading: heading.optional(),
    intro: intro.optional(),
    fields: listOf(
      z.strictObject({
        label,
        kind: z.enum(formFieldKinds),
        required: z.boolean(),
        options: listOf(requiredLine(120)).optional(),
      }),
    ),
    submitLabel: label,
    thanks: prose(1_000).optional(),
    thanksPage: pageLinkSchema.optional(),
  }),
  'posts-list': z.strictObject({
    heading: heading.optional(),
    count: z
      .number()
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(MAX_LIST_ITEMS, `must be at most ${MAX_LIST_ITEMS}`),
    tag: requiredLine(40).optional(),
  }),
  /** `block`: the CMS block that it came from, for example `core/columns`. */
  html: z.strictObject({
    html: prose(MAX_HTML_LENGTH).register(textKinds, { kind: 'html' }),
    block: line(120).optional(),
  }),
} as const satisfies Record<string, z.ZodType>;

type SectionType = keyof typeof sectionFieldSchemas;

/** The fields of one section type, as stored. */
export type SectionFields<Type extends SectionType> = z.infer<(typeof sectionFieldSchemas)[Type]>;

/** A section whose fields are typed by its type. */
export type TypedSection = {
  [Type in SectionType]: { readonly id: string; readonly type: Type; readonly fields: SectionFields<Type> };
}[SectionType];
