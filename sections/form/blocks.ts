import { block, inRow, paragraphBlock } from '#server/wordpress/blocks/block-markup';
import { present } from '#server/wordpress/blocks/block-reader';
import type { SectionMapping } from '#server/wordpress/blocks/section-mapping';
import { headings, prose } from '#server/wordpress/blocks/text-blocks';
import { formFieldKinds } from '#server/core/site/site-forms';
import { classesOf, elementsOf, onOneLine, wordsOf } from '#server/markup/html-tree';
import { escapeText } from '#server/markup/write-html';

const FORM_FIELD_CLASS = new RegExp(`^throughline-(${formFieldKinds.join('|')})$`);

/** WordPress has no block for forms: their fields become a list. */
export const formBlocks: SectionMapping<'form'> = {
  write({ heading, intro, fields, submitLabel }) {
    const items = fields.map(({ label, kind, required }) => {
      const className = `throughline-${kind}${required ? ' throughline-required' : ''}`;
      return block('list-item', `<li class="${className}">${escapeText(label)}</li>`, { className });
    });
    const list = block('list', `<ul>${inRow(items)}</ul>`);
    return [...headings(heading), ...prose(intro), list, paragraphBlock(`<strong>${escapeText(submitLabel)}</strong>`)];
  },
  read(reader) {
    const heading = reader.heading('h2');
    const intro = reader.prose();
    const list = reader.take('ul');
    const fields = (elementsOf(list?.children ?? []) ?? []).map((item) => {
      const classes = classesOf(item);
      const kind = classes.map((name) => FORM_FIELD_CLASS.exec(name)?.[1]).find((name) => name !== undefined);
      const required = classes.includes('throughline-required');
      return { label: onOneLine(wordsOf(item)), kind: kind ?? 'text', required };
    });
    return present({ heading, intro, fields, submitLabel: reader.heading('p') });
  },
};
