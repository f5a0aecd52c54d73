import { addedTags } from '#server/core/conversation/part-types/registry';
import { definitionOf, type PartBody } from '#server/core/conversation/parts';
import { foreignText } from '#server/core/conversation/part-types/foreign-text';

/* What the app adds to a message of the user for the model. */

/** The text of a part that a model reads before the user's words; null if its type or content has none. */
export function addedText(part: PartBody): string | null {
  const { added } = definitionOf(part.type);
  const text = added?.text(part.content) ?? null;
  return added && text !== null ? `<${added.tag}>\n${foreignText(text)}\n</${added.tag}>` : null;
}

const ADDED = new RegExp(`<(${addedTags.join('|')})>\\n[^]*?\\n</\\1>`, 'g');

/** The user's own words in a text that was sent to a model, without the app's additions. */
export function ownWords(text: string): string {
  return text.replaceAll(ADDED, '').trim();
}
