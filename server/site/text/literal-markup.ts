import type { EntryDocument } from '#server/core/site/content';
import { sectionTexts } from '#server/site/text/section-texts';

/* Finds Markdown in fields that show it literally, which is usually a mistake of the writer. */

/** Links, pictures, bold and italic text in Markdown notation. */
const MARKUP = [
  /!?\[[^\]\n]{1,300}\]\((?:https?:\/\/|mailto:|[/#])[^\s)]{0,2000}\)/u,
  /\*\*(?=[^\s*])[^*\n]{1,300}(?<=\S)\*\*/u,
  /(?<!\w)__(?=[^\s_])[^_\n]{1,300}(?<=\S)__(?!\w)/u,
  /(?<![\w*])\*(?=["“‘'(]?[\p{L}\p{N}])[^*\n]{1,300}(?<=[\p{L}\p{N}][.,!?…]?["”’')]?)\*(?![\w*])/u,
  /(?<!\w)_(?=["“‘'(]?[\p{L}\p{N}])[^_\n]{1,300}(?<=[\p{L}\p{N}][.,!?…]?["”’')]?)_(?!\w)/u,
];

/** Markdown in a field that shows it literally. */
export interface LiteralMarkup {
  readonly path: string;
  readonly sectionId?: string;
  /** The first occurrence in the field: `[Prices](/prices)`. */
  readonly markup: string;
}

/** Markdown in the plain fields of a document, at most one result per field. */
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
