import { InvalidInputError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import type { Section } from '#server/core/site/content';
import { renderMarkdown } from '#server/markup/markdown-html';
import { htmlCost } from '#server/markup/parse-html';

/**
 * Maximum cost of all sections of one entry together, where 1 is the maximum of one text (see `markdown-limits` and
 * `parse-html`). About ten long articles cost 3.
 */
const MAX_ENTRY_COST = 3;

/** Ids of the sections beyond the maximum markup cost of one page: they are shown as plain text and not parsed. */
export function sectionsBeyondLimit(sections: readonly Section[]): ReadonlySet<string> {
  const beyond = new Set<string>();
  let spent = 0;
  for (const { id, type, fields } of sections) {
    const text = type === 'text' ? fields['body'] : type === 'html' ? fields['html'] : undefined;
    if (typeof text !== 'string') continue;
    if (spent <= MAX_ENTRY_COST) spent += type === 'text' ? renderMarkdown(text).cost : htmlCost(text);
    if (spent > MAX_ENTRY_COST) beyond.add(id);
  }
  return beyond;
}

/** @throws InvalidInputError if the sections of an entry exceed the maximum markup cost of one page */
export function checkEntryMarkup(sections: readonly Section[]): void {
  if (sectionsBeyondLimit(sections).size === 0) return;
  throw new InvalidInputError(serverText('entry-markup-limit'));
}
