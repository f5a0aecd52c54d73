import type { Element } from 'hast';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { attribute, classesOf, elementsWithin } from '#server/markup/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';
import type { Segment } from '#server/wordpress/blocks/read-segments';

/* Styles of WordPress markup that sections cannot express. */

const COLOURS = serverText('import-colours');
const ALIGNMENT = serverText('import-alignment');

/** Without a match there is nothing to parse, as in most content. */
const MAY_HAVE_STYLE = /color|background|align|justif|float|<center/i;

/** Values that change nothing. */
const NO_COLOUR = 'inherit|initial|unset|revert|transparent|currentcolor|none|auto';
const COLOUR_STYLE = new RegExp(
  `(?:^|;)\\s*(?:color|background(?:-color|-image)?)\\s*:\\s*(?!(?:${NO_COLOUR})\\s*(?:;|!|$))\\S`,
);
/** WordPress's classes for colours, for example `has-vivid-red-color`, `has-background`, `has-sky-gradient-background`. */
const COLOUR_CLASS = /^has-(?:[\w-]+-)?(?:color|background)$/;

function isColoured(element: Element): boolean {
  const style = attribute(element, 'style')?.toLowerCase() ?? '';
  return (
    COLOUR_STYLE.test(style) ||
    attribute(element, 'bgColor') !== undefined ||
    (element.tagName === 'font' && attribute(element, 'color') !== undefined) ||
    classesOf(element).some((name) => COLOUR_CLASS.test(name))
  );
}

const ALIGN_STYLE = /(?:^|;)\s*(?:text-align\s*:\s*(?:center|right|end|justify)|float\s*:\s*(?:left|right))\b/;
/** Alignment of a text, which our pages show in HTML sections. */
const TEXT_CLASS = /^has-text-align-(?:center|right)$/;
const BLOCK_CLASS = /^(?:align(?:left|right|center)|is-content-justification-(?:center|right))$/;

/** Section types whose pictures are centred anyway. */
const CENTRED = new Set<Segment['type']>(['image', 'gallery']);

function isAlignmentLost(element: Element, { type, fields }: Segment): boolean {
  const { tagName } = element;
  const isHtml = type === 'html';
  const align = attribute(element, 'align')?.toLowerCase() ?? '';
  const isCell = tagName === 'td' || tagName === 'th';
  // Markdown aligns the columns of a table.
  if (isCell && typeof fields['body'] === 'string' && /\|\s*:?-+:\s*\|/.test(fields['body'])) return false;
  const isAligned = /^(?:center|right|justify)$/.test(align) || (align === 'left' && tagName === 'img');
  return (
    tagName === 'center' ||
    (isAligned && !(isHtml && isCell)) ||
    ALIGN_STYLE.test(attribute(element, 'style')?.toLowerCase() ?? '') ||
    classesOf(element).some(
      (name) =>
        (!isHtml && TEXT_CLASS.test(name)) ||
        (BLOCK_CLASS.test(name) && !(name === 'aligncenter' && CENTRED.has(type))),
    )
  );
}

/** Sentences for the user: which styles (colours, alignment) of WordPress markup its section does not have. */
export function lostStyles(segment: Segment): ServerText[] {
  if (!MAY_HAVE_STYLE.test(segment.raw)) return [];
  const tree = parseHtmlWithinLimits(segment.raw);
  if (tree === null) return [];
  const elements = elementsWithin(tree);
  return [
    ...(elements.some(isColoured) ? [COLOURS] : []),
    ...(elements.some((element) => isAlignmentLost(element, segment)) ? [ALIGNMENT] : []),
  ];
}
