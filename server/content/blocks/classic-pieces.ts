import type { RootContent } from 'hast';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';

/** A piece of content without blocks, as it is written and as WordPress shows it. */
export interface ClassicPiece {
  readonly raw: string;
  readonly html: string;
}

/** What stands by itself; words around it are paragraphs (wpautop of WordPress has the same list, and more). */
const OWN_BLOCKS = new Set(
  (
    'address article aside audio blockquote details div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr ' +
    'iframe main nav ol p pre script section style table ul video'
  ).split(' '),
);

function isOwnBlock(node: RootContent): boolean {
  return node.type === 'comment' || (node.type === 'element' && OWN_BLOCKS.has(node.tagName));
}

/** What parts paragraphs: empty lines, and line breaks before and after a picture with a caption. */
const GAPS = /\n[ \t\r]*\n\s*|\n[ \t\r]*(?=\[caption\b)|(?<=\[\/caption\])[ \t\r]*\n\s*/g;

/** Where pieces begin in `raw`; null where the parser moved things about, so that places say nothing. */
function startsOf(raw: string, nodes: readonly RootContent[]): { at: number; isBlock: boolean }[] | null {
  const starts: { at: number; isBlock: boolean }[] = [];
  let last = -1;
  let isNew = true;
  for (const [index, node] of nodes.entries()) {
    const at = node.position?.start.offset;
    if (at === undefined || at <= last || at > raw.length) return null;
    last = at;
    const isBlock = isOwnBlock(node);
    if (isBlock || isNew) starts.push({ at: starts.length === 0 ? 0 : at, isBlock });
    isNew = isBlock;
    if (node.type !== 'text') continue;
    const end = nodes[index + 1]?.position?.start.offset ?? raw.length;
    for (const gap of raw.slice(at, end).matchAll(GAPS)) {
      const next = at + gap.index + gap[0].length;
      if (next < end) starts.push({ at: next, isBlock: false });
      else isNew = true;
    }
  }
  return starts;
}

/** Words with their line breaks as WordPress shows them. */
function paragraph(words: string): string {
  const text = words.trim();
  return text === '' ? '' : `<p>${text.replace(/\r?\n/g, '<br>')}</p>`;
}

/**
 * Cuts content without blocks into paragraphs (empty lines part them) and block elements; the pieces joined are the
 * content. Null where its HTML cannot be parsed.
 */
export function cutClassic(raw: string): ClassicPiece[] | null {
  const tree = parseHtmlWithinLimits(raw);
  if (tree === null) return null;
  const starts = startsOf(raw, tree.children);
  if (starts === null || starts.length === 0) return [{ raw, html: raw }];
  return starts.map(({ at, isBlock }, index) => {
    const piece = raw.slice(at, starts[index + 1]?.at);
    return { raw: piece, html: isBlock ? piece : paragraph(piece) };
  });
}
