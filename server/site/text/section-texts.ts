import { z } from 'zod';
import type { Section } from '#server/core/site/content';
import type { JsonValue } from '#server/core/json';
import { textKinds, unwrapped } from '#server/core/text/safe-text';
import { sectionDefinitions } from '#sections/fields';

/* The texts of a section with their use: Markdown, HTML, addresses or plain text. */

/** One text of a section. */
export interface SectionText {
  /** Use of the text; `plain`: it is shown literally. */
  readonly kind: 'markdown' | 'html' | 'link' | 'image' | 'plain';
  readonly text: string;
  /** `sections[2].fields.body`. */
  readonly path: string;
  /** Description of a picture; undefined for other texts, and for pictures that need none. */
  readonly alt?: string;
}

function textsIn(schema: z.core.$ZodType, value: JsonValue | undefined, path: string, alt?: JsonValue): SectionText[] {
  const inner = unwrapped(schema);
  if (typeof value === 'string') {
    if (inner instanceof z.ZodEnum) return [];
    const { kind = 'plain', isDecorative = false } = textKinds.get(inner) ?? {};
    const isDescribed = kind === 'image' && !isDecorative;
    return [{ kind, text: value, path, ...(isDescribed && { alt: typeof alt === 'string' ? alt : '' }) }];
  }
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((item, index) => textsIn(inner.element, item, `${path}[${index}]`));
  }
  if (!(inner instanceof z.ZodObject) || value === null || typeof value !== 'object' || Array.isArray(value)) return [];
  return Object.entries(inner.shape).flatMap(([name, field]) =>
    textsIn(field, value[name], `${path}.${name}`, value[`${name}Alt`] ?? value['alt']),
  );
}

/** The texts of a section. @param index position of the section in its document, counted from 0 */
export function sectionTexts({ type, fields }: Section, index: number): SectionText[] {
  return textsIn(sectionDefinitions[type].fields, fields, `sections[${index}].fields`);
}
