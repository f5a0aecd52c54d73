/** Never the end of a sentence, whatever follows. */
const ABBREVIATION = /(?:^|[\s("“'‘])(?:e\.g|i\.e|cf|vs|viz|mr|mrs|ms|dr|prof|st|no|nr|approx|ca|fig|sec|[a-z])\.$/i;
/** The end of a sentence only before a capital. */
const MAYBE_ABBREVIATION = /(?:^|[\s("“'‘])(?:etc|inc|ltd|co|corp|jr|sr|a\.m|p\.m|est|dept|min|max)\.$|\d\.$/i;

const LIST_MARKER = /^\s{0,20}(?:[-*•–]|\d{1,3}[.)]|[a-z][.)]|\[[ x]\])\s+/i;
const QUOTATION = /"[^"\n]{0,2000}"|“[^“”\n]{0,2000}”|«[^«»\n]{0,2000}»|`[^`\n]{0,2000}`/g;

/** A sentence as it was written, and the same with everything in quotation marks taken out. */
export interface Sentence {
  readonly text: string;
  readonly unquoted: string;
}

/**
 * The sentences of what somebody wrote, lists item by item without their markers. A sentence runs on over line ends
 * until a full stop, a blank line, a list or a line that starts anew; full stops inside quotation marks, of
 * abbreviations and in numbers end nothing.
 */
export function splitSentences(text: string): Sentence[] {
  return splitBlocks(text).flatMap(splitBlock);
}

/** Lines joined where a sentence goes on; one string for each list item, heading or run of lines. */
function splitBlocks(text: string): string[] {
  const blocks: string[] = [];
  let open = false;
  for (const line of text.replaceAll(/\r\n?/g, '\n').split('\n')) {
    const bare = line
      .replace(LIST_MARKER, '')
      .replace(/^#{1,6} /, '')
      .trim();
    const goesOn = open && !LIST_MARKER.test(line) && /^[a-z("“]/.test(bare);
    if (bare !== '' && goesOn) blocks.push(`${blocks.pop() ?? ''} ${bare}`);
    else if (bare !== '') blocks.push(bare);
    open = bare !== '' && !/[.!?:;]$/.test(bare);
  }
  return blocks;
}

/*
 * Quotations are masked by noncharacters of Unicode, which no text may contain: \uFDD0, a number, then \uFDD1, or
 * \uFDD2 where the quotation itself ends with a full stop.
 */
const MASK = /\uFDD0(\d{1,6})[\uFDD1\uFDD2]/g;
const STOP = /(?:[.!?…]{1,10}[)\]'’]{0,3}|\uFDD2)(?=\s{1,20}(\S))/gu;

function splitBlock(block: string): Sentence[] {
  const quotes: string[] = [];
  const masked = block.replaceAll(/[\uFDD0-\uFDD2]/g, '').replaceAll(QUOTATION, (quote) => {
    const end = /[.!?…]$/.test(quote.slice(0, -1)) ? '\uFDD2' : '\uFDD1';
    return `\uFDD0${quotes.push(quote) - 1}${end}`;
  });
  return cutAtStops(masked)
    .map((piece) => ({
      text: piece.replaceAll(MASK, (_mask, index: string) => quotes[Number(index)] ?? '').trim(),
      unquoted: piece.replaceAll(MASK, '""').trim(),
    }))
    .filter(({ text }) => text !== '');
}

function cutAtStops(masked: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  for (const { index, 0: stop, 1: next = '' } of masked.matchAll(STOP)) {
    const end = index + stop.length;
    const words = masked.slice(Math.max(start, end - 20), end);
    const startsAnew = /^[\p{Lu}\p{N}"“«(\uFDD0]/u.test(next);
    const mayGoOn = stop === '\uFDD2' || MAYBE_ABBREVIATION.test(words);
    if (ABBREVIATION.test(words) || (mayGoOn && !startsAnew)) continue;
    pieces.push(masked.slice(start, end));
    start = end;
  }
  pieces.push(masked.slice(start));
  return pieces;
}
