// Pure text work; a copy of it could differ from how the server joins.
// oxlint-disable-next-line no-restricted-imports
import { splitCoalescedText } from '#server/core/coalesced-text';

/**
 * The messages that were sent together as this one text, without what joined them; null when it is a single one.
 * @param messageCount how many the server says they were
 */
export function originalTexts(text: string, messageCount: number | undefined): readonly string[] | null {
  if (messageCount === undefined || messageCount < 2) return null;
  const texts = splitCoalescedText(text);
  // A text that itself looks like the joints can be cut in the wrong places.
  return texts.length === messageCount ? texts : null;
}
