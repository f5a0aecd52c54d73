import type { Root } from 'hast';
import { childrenOf, type HtmlNode, isElement } from '#server/markup/html-tree';

/** Known parts of a page, each between two comments that contain `mark` (`<!--mark 0-->` and `<!--/mark 0-->`). */
export interface MarkedParts {
  /** Unguessable text, so that content of the page cannot imitate the comments. */
  readonly mark: string;
  /** Ids of the parts, by part number. */
  readonly ids: readonly string[];
}

/** Elements that WordPress puts around running text, including the comments that mark parts. */
const TEXT_TAGS = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'pre']);

/** Numbers of the parts to which the descendants of an element belong; null among them: some belong to none. */
interface Owners {
  readonly parts: ReadonlySet<number | null>;
  readonly hasMarks: boolean;
}

/** Number of the part that a comment starts (`isEnd` false) or ends; null for any other comment. */
function partAt(comment: string, mark: string): { readonly number: number; readonly isEnd: boolean } | null {
  const isEnd = comment.startsWith('/');
  const [found, number = ''] = comment.slice(isEnd ? 1 : 0).split(' ');
  return mark !== '' && found === mark && /^\d{1,5}$/.test(number) ? { number: Number(number), isEnd } : null;
}

const NOTHING: Owners = { parts: new Set(), hasMarks: false };

/**
 * Sets `data-section` of the elements of each part to the id of the part. Of nested elements it is the outermost that
 * contains nothing but this part. Only the first occurrence of a part is marked. Changes the tree; the comments stay.
 */
export function markParts(tree: Root, { mark, ids }: MarkedParts): void {
  const owners = new Map<HtmlNode, Owners>();
  const seen = new Set<number>();
  let present: number | null = null;

  const findOwners = (node: HtmlNode): Owners => {
    if (node.type === 'comment') {
      const at = partAt(node.value, mark);
      if (at === null) return NOTHING;
      present = at.isEnd || seen.has(at.number) ? null : at.number;
      seen.add(at.number);
      return { ...NOTHING, hasMarks: true };
    }
    if (node.type === 'doctype' || (node.type === 'text' && node.value.trim() === '')) return NOTHING;
    const within = childrenOf(node).map(findOwners);
    const parts = new Set(within.flatMap((each) => [...each.parts]));
    if (parts.size === 0) parts.add(present);
    const found = { parts, hasMarks: within.some(({ hasMarks }) => hasMarks) };
    owners.set(node, found);
    return found;
  };
  const markWithin = (node: HtmlNode): void => {
    const { parts, hasMarks } = owners.get(node) ?? NOTHING;
    const [part] = parts;
    const id = parts.size === 1 && typeof part === 'number' ? ids[part] : undefined;
    const isWhole = isElement(node) && id !== undefined && (!hasMarks || TEXT_TAGS.has(node.tagName));
    if (isWhole) node.properties['dataSection'] = id;
    else childrenOf(node).forEach(markWithin);
  };
  findOwners(tree);
  markWithin(tree);
}
