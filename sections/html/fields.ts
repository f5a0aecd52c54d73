import { z } from 'zod';
import { defineSection } from '#server/core/sections/section-definition';
import { line, prose, textKinds } from '#server/core/text/safe-text';

/** Maximum number of characters of the markup. */
const MAX_HTML_LENGTH = 200_000;

/** Markup of a CMS that no other kind can represent. */
export const html = defineSection({
  order: 110,
  /** `block`: the CMS block that it came from, for example `core/columns`. */
  fields: z.strictObject({
    html: prose(MAX_HTML_LENGTH).register(textKinds, { kind: 'html' }),
    block: line(120).optional(),
  }),
  purpose: 'What no other type can hold; written as HTML, cleaned when shown.',
  defaults: { html: '' },
  sketch: ['code', 'code', 'code'],
});
