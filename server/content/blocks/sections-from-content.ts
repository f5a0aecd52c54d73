import type { Segment } from '#server/content/blocks/block-context';
import { withoutDelimiters } from '#server/content/blocks/block-scan';
import { readBlocks } from '#server/content/blocks/read-blocks';
import type { ClassicContext } from '#server/content/blocks/shortcodes';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';

export interface ReadContent {
  /** Those that show something. */
  readonly segments: Segment[];
  /** What was not taken, or not as it was, in plain sentences; each once. */
  readonly remarks: string[];
}

/** Marks in any content that our sections have nothing for. */
const lostMarks: readonly (readonly [RegExp, string])[] = [
  [/<!--more/, 'The mark "read more" was left out.'],
  [/<!--nextpage/, 'Page breaks were left out: the text stands on one page.'],
];

/** What an `html` section is cleaned of. */
const lostHtml: readonly (readonly [RegExp, string])[] = [
  [/<script\b/i, 'A script was left out.'],
  [/<(?:form|input|select|textarea)\b/i, 'A form was left out; its words stayed.'],
  [/<(?:iframe|video|audio)\b/i, 'Something embedded became a link.'],
  [/<(?:object|embed|svg|canvas)\b/i, 'A drawing or an embedded object was left out.'],
];

function matching(list: readonly (readonly [RegExp, string])[], raw: string): string[] {
  return list.filter(([pattern]) => pattern.test(raw)).map(([, sentence]) => sentence);
}

function segmentRemarks({ raw, type, fields }: Segment): string[] {
  if (type === 'text') {
    const names = [...raw.matchAll(/\[([a-z][\w-]{0,40})(?=[\s\]])[^\][]{0,500}\](?!\()/g)].map(([, name]) => name);
    return names.map((name) => `The shortcode [${name}] stays as words: only a plugin knows what it shows.`);
  }
  if (type !== 'html') return [];
  const name = typeof fields['block'] === 'string' ? fields['block'] : null;
  const shown = withoutDelimiters(raw).replace(/<!--[^]*?(?:-->|$)/g, '');
  if (parseHtmlWithinLimits(raw) === null)
    return ['A piece of HTML holds more markup than can be read: its words stayed.'];
  const isFilledThere = name !== null && fields['html'] === '' && shown.trim() === '';
  return isFilledThere
    ? [`The block ${name} is empty here: WordPress fills it when it shows it.`]
    : matching(lostHtml, raw);
}

/** What shows nothing here. */
function isEmpty({ type, fields }: Segment): boolean {
  const { heading, body, html } = fields;
  return type === 'html' ? html === '' : type === 'text' && heading === undefined && body === '';
}

/** Content of a WordPress page or post, with blocks or without, as sections, and what did not come along. */
export function sectionsFromContent(raw: string, context: ClassicContext): ReadContent {
  const segments = readBlocks(raw, context);
  const remarks = [...matching(lostMarks, raw), ...segments.flatMap(segmentRemarks)];
  return { segments: segments.filter((segment) => !isEmpty(segment)), remarks: [...new Set(remarks)] };
}
