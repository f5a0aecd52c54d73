import { z } from 'zod';
import type { EntryDocument, Section } from '#server/core/content';
import type { JsonValue } from '#server/core/json';
import { textKinds, unwrapped } from '#server/core/safe-text';
import { sectionFieldSchemas } from '#server/core/section-fields';

/* Texts of documents by their use, and Markdown where none is read. */

/** One text of a section. */
export interface SectionText {
  /** Use of the text; `plain`: it is shown as it is written. */
  readonly kind: 'markdown' | 'html' | 'link' | 'image' | 'plain';
  readonly text: string;
  /** `sections[2].fields.body`. */
  readonly path: string;
  /** Description of a picture; undefined for all else. */
  readonly alt?: string;
}

function textsIn(schema: z.core.$ZodType, value: JsonValue | undefined, path: string, alt?: JsonValue): SectionText[] {
  const inner = unwrapped(schema);
  if (typeof value === 'string') {
    if (inner instanceof z.ZodEnum) return [];
    const kind = textKinds.get(inner)?.kind ?? 'plain';
    return [{ kind, text: value, path, ...(kind === 'image' && { alt: typeof alt === 'string' ? alt : '' }) }];
  }
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((item, index) => textsIn(inner.element, item, `${path}[${index}]`));
  }
  if (!(inner instanceof z.ZodObject) || value === null || typeof value !== 'object' || Array.isArray(value)) return [];
  return Object.entries(inner.shape).flatMap(([name, field]) =>
    textsIn(field, value[name], `${path}.${name}`, value[`${name}Alt`] ?? value['alt']),
  );
}

/** The texts of a section, which is the `index`-th of its document, counted from 0. */
export function sectionTexts({ type, fields }: Section, index: number): SectionText[] {
  return textsIn(sectionFieldSchemas[type], fields, `sections[${index}].fields`);
}

/** Links and pictures, bold and italic words as Markdown writes them. */
const MARKUP = [
  /!?\[[^\]\n]{1,300}\]\((?:https?:\/\/|mailto:|[/#])[^\s)]{0,2000}\)/u,
  /\*\*(?=[^\s*])[^*\n]{1,300}(?<=\S)\*\*/u,
  /(?<!\w)__(?=[^\s_])[^_\n]{1,300}(?<=\S)__(?!\w)/u,
  /(?<![\w*])\*(?=["“‘'(]?[\p{L}\p{N}])[^*\n]{1,300}(?<=[\p{L}\p{N}][.,!?…]?["”’')]?)\*(?![\w*])/u,
  /(?<!\w)_(?=["“‘'(]?[\p{L}\p{N}])[^_\n]{1,300}(?<=[\p{L}\p{N}][.,!?…]?["”’')]?)_(?!\w)/u,
];

/** Markdown in a field that shows it as it is written. */
export interface LiteralMarkup {
  readonly path: string;
  readonly sectionId?: string;
  /** The first of the field: `[Prices](/prices)`. */
  readonly markup: string;
}

/** Markdown in the plain fields of a document, once for each. */
export function literalMarkup({ title, excerpt, seo, sections }: EntryDocument): LiteralMarkup[] {
  const details = { title, excerpt, 'seo.title': seo?.title, 'seo.description': seo?.description };
  const texts = [
    ...Object.entries(details).map(([path, text = '']) => ({ path, text, kind: 'plain' as const })),
    ...sections.flatMap((section, index) =>
      sectionTexts(section, index).map((text) => ({ ...text, sectionId: section.id })),
    ),
  ];
  return texts.flatMap(({ kind, text, ...place }) => {
    const markup = kind === 'plain' ? MARKUP.map((form) => form.exec(text)?.[0]).find(Boolean) : undefined;
    return markup === undefined ? [] : [{ ...place, markup }];
  });
}
