import { z } from 'zod';
import { heading, intro, label, listOf } from '#server/core/sections/common-section-fields';
import { defineSection } from '#server/core/sections/section-definition';
import { formFieldKinds } from '#server/core/site/site-forms';
import { pageLinkSchema, prose, requiredLine } from '#server/core/text/safe-text';

export const form = defineSection({
  order: 90,
  fields: z.strictObject({
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
    layout: z.enum(['heading-beside', 'boxed']).optional(),
  }),
  purpose: 'Form. People read under Messages what visitors send.',
  defaults: ({ form: { name, email, message, submitLabel } }) => ({
    fields: [
      { label: name, kind: 'text', required: true },
      { label: email, kind: 'email', required: true },
      { label: message, kind: 'textarea', required: true },
    ],
    submitLabel,
  }),
  sketch: ['title', 'field', 'field', 'button'],
});
