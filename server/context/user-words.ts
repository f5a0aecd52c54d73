import { isRequest } from '#server/context/plan-compaction';
import { splitCoalescedText } from '#server/core/engine-words';
import type { Message } from '#server/core/messages';

/** The user's own words that outlive every compaction. */
export interface UserWords {
  /** The session's first request; null in a session without one. */
  readonly original: Message | null;
  /**
   * Standing instructions and rejections, verbatim, each once, in the order in which they were last said: where two
   * contradict each other, the later one stands later.
   */
  readonly standing: readonly string[];
  /** Every request, oldest first, verbatim. */
  readonly requests: readonly string[];
}

/** Collects the user's words from messages in order. */
export function collectUserWords(messages: readonly Message[]): UserWords {
  const asked = messages.filter((message) => isRequest(message) && textOf(message) !== '');
  const requests = asked.map(textOf);
  const standing = new Map<string, string>();
  for (const instruction of requests.flatMap(standingInstructions)) {
    const key = comparable(instruction);
    standing.delete(key);
    standing.set(key, instruction);
  }
  return { original: asked[0] ?? null, standing: [...standing.values()], requests };
}

/** The text of a message, its parts joined by lines, trimmed. */
export function textOf(message: Message): string {
  return message.parts
    .flatMap((part) => (part.type === 'text' ? [part.content.text] : []))
    .join('\n')
    .trim();
}

/** The same for instructions that differ in case, spaces or punctuation at the end only. */
function comparable(instruction: string): string {
  return instruction
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .slice(0, 1_000)
    .replace(/[.!… ]{1,10}$/, '');
}

/** Binds all later work. */
const BINDING =
  /\b(?:always|never|from now on|going forward|from here on|in (?:the )?future|at all times|every time|each time|whenever|do(?:n[’']t| not) ever|must(?:n[’']t| not)? (?:always|never|not|be|have|use)|should(?:n[’']t| not| never| always)|only use|use only|stick (?:to|with)|remember (?:that|to)|keep in mind|make sure)\b/i;
/** Turns something down. */
const REJECTING =
  /\b(?:(?:please )?(?:do(?:n[’']t| not)) (?!(?:know|think|understand|remember|see|worry|mind|forget|hesitate|you|we|they)\b)\w+|i (?:really )?(?:do(?:n[’']t| not)|did(?:n[’']t| not)) (?:like|want|need|care for)|i (?:hate|dislike|prefer)|i(?:[’']d| would) (?:rather|prefer)|stop \w+ing|instead of|rather than|avoid|no more|not like that|get rid of)\b|^no[,.!] |^not (?:that|this|so|like)\b/i;
/** Asks for a quality, of one thing or of all of them. */
const SHAPING =
  /\bmake (?:it|them|this|that|these|those|everything|all|the (?:tone|style|texts?|wording|colou?rs?|headings?|copy))\b/i;

/** `never mind`, `as always`: not instructions, for all their words. */
const IDIOM = /\bnever ?mind\b|\b(?:as|than|like|has|have|had|was|were|is|are|been) (?:always|never)\b/gi;
/** A question asks to be answered, unless it is a request in polite form. */
const POLITE_REQUEST = /^(?:please |and |also |so |ok(?:ay)?,? )?(?:can|could|will|would) you\b/i;

/** A longer "sentence" is pasted content that happens to hold such a word. */
const MAX_CHARS = 400;
/** Length of an instruction with the quotes inside it; characters. */
const MAX_CHARS_WITH_QUOTES = 1_000;

const FENCED = /^ {0,3}(`{3,20}|~{3,20})/;
/** A line that announces content: everything under it is not said to the assistant. */
const ANNOUNCES_CONTENT =
  /\b(?:text|content|copy|article|body|story|paragraphs?|letter|e-?mail|transcript|draft|version|following|this|says?|reads?)\b[^:]{0,60}:$/i;
const ANNOUNCES_RULES =
  /\b(?:rules?|guidelines?|preferences?|instructions?|style|remember|always|never|from now on)\b/i;
/** Further paragraphs under such a line belong to the content when they are at least this long. */
const LONG_PARAGRAPH_CHARS = 200;

/**
 * Sentences of a user's message that bind later work: "always", "never", "from now on", what to make of things, and
 * what was turned down; verbatim. Not questions, and nothing from code, quotations or pasted content. Items of a list
 * under a line that says such a thing carry that line in front; messages that waited and became one are read one by
 * one.
 */
export function standingInstructions(message: string): string[] {
  return splitCoalescedText(message)
    .flatMap(ownParagraphs)
    .flatMap((paragraph) => {
      const lead = leadOf(paragraph);
      return splitSentences(lead === null ? paragraph : paragraph.slice(paragraph.indexOf('\n') + 1))
        .map(({ text, unquoted }): Sentence =>
          lead === null ? { text, unquoted } : { text: `${lead} ${text}`, unquoted: `${lead} ${unquoted}` },
        )
        .filter(isStanding)
        .map(({ text }) => text);
    });
}

/** Returns whether an instruction holds for good: the last to be left out where room is short. */
export function isBinding(instruction: string): boolean {
  return BINDING.test(instruction) || REJECTING.test(instruction);
}

function isStanding({ text, unquoted }: Sentence): boolean {
  if (unquoted.length > MAX_CHARS || text.length > MAX_CHARS_WITH_QUOTES) return false;
  const said = unquoted.replaceAll(IDIOM, ' ');
  if (/\?[)"'”’\]]{0,3}$/.test(unquoted) && !POLITE_REQUEST.test(unquoted)) return false;
  return BINDING.test(said) || REJECTING.test(said) || SHAPING.test(said);
}

/** `From now on:` in front of a list. */
function leadOf(paragraph: string): string | null {
  const [first = '', ...rest] = paragraph.split('\n');
  const lead = first.trim();
  const isLead = rest.length > 0 && lead.length <= 120 && lead.endsWith(':');
  return isLead && isStanding({ text: lead, unquoted: lead }) ? lead : null;
}

/** Splits the user's words into paragraphs, without code, quoted lines and announced content. */
function ownParagraphs(message: string): string[] {
  const own: string[] = [];
  let content: 'none' | 'next' | 'going-on' = 'none';
  for (const paragraph of withoutCode(message).split(/\n\s{0,200}\n/)) {
    if (content === 'next' || (content === 'going-on' && paragraph.length >= LONG_PARAGRAPH_CHARS)) {
      content = 'going-on';
      continue;
    }
    const lines = paragraph.split('\n');
    const announced = lines.findIndex(announcesContent);
    own.push((announced === -1 ? lines : lines.slice(0, announced + 1)).join('\n'));
    if (announced === -1) content = 'none';
    else content = announced === lines.length - 1 ? 'next' : 'going-on';
  }
  return own;
}

function announcesContent(line: string): boolean {
  const short = line.trim().slice(-200);
  return ANNOUNCES_CONTENT.test(short) && !ANNOUNCES_RULES.test(short);
}

/** Without fenced code, to the end where a fence is never closed, and without lines quoted by `>`. */
function withoutCode(message: string): string {
  let fence: string | null = null;
  const kept: string[] = [];
  for (const line of message.replaceAll(/\r\n?/g, '\n').split('\n')) {
    const [, mark] = FENCED.exec(line) ?? [];
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null;
    } else if (mark !== undefined) fence = mark;
    else if (!/^\s{0,3}>/.test(line)) kept.push(line);
  }
  return kept.join('\n');
}

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
function splitSentences(text: string): Sentence[] {
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

/**
 * Share of an instruction's words that one message of the user has to hold: a summarizer may put it in its own words.
 */
const LEAST_SHARE = 0.5;
const WORDS = /\p{L}[\p{L}\p{N}@.-]{2,}/gu;
/** They tell who said it and that it binds, not what it is. */
const FRAME =
  /^(?:the|and|user|editor|wants?|asked|asks|prefers?|preference|said|says|always|never|must|should|not|don[’']?t|avoid|from|now|every|with|for|that|any|all)$/;

/**
 * Returns whether a summarizer may tell this of the user's preferences. What binds later work has to come from the
 * user: a page, a file or a tool that says "always ..." gives no instruction, and a summary makes none of it.
 * @param requests the user's messages
 */
export function isHeardFromUser(remark: string, requests: readonly string[]): boolean {
  if (!isBinding(remark)) return true;
  const words = wordsOf(remark).filter((word) => !FRAME.test(word));
  return requests.some((request) => {
    const said = new Set(wordsOf(request));
    return words.filter((word) => said.has(word)).length >= words.length * LEAST_SHARE;
  });
}

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(WORDS) ?? []).map((word) => word.replace(/[.-]+$/, ''));
}
