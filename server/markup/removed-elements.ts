import { elementsWithin } from '#server/markup/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';

/** Elements that cleaning HTML removes (see sanitize-rules) and that show or do something where they are kept. */
const NAMES =
  'iframe frame video audio object embed canvas svg math form input select textarea button script style link'.split(
    ' ',
  );
const REMOVED = new Set(NAMES);
/** Most sections do not match, which saves parsing them. */
const MAY_CONTAIN = new RegExp(`<(?:${NAMES.join('|')})(?![a-z])`, 'i');

/**
 * Tag names of the elements that cleaning `html` removes and that visitors would miss, each once, in document order. Empty
 * for HTML beyond the parser's limits.
 */
export function removedElements(html: string): string[] {
  if (!MAY_CONTAIN.test(html)) return [];
  const tree = parseHtmlWithinLimits(html);
  if (tree === null) return [];
  return [...new Set(elementsWithin(tree).map(({ tagName }) => tagName))].filter((name) => REMOVED.has(name));
}
