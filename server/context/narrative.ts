import { countTokens } from '#server/context/tokens';
import { SUMMARY_SECTIONS, type SummarySection } from '#server/core/engine-words';

/** How a narrative came about. */
export interface NarrativeFacts {
  /** As the AI SDK names it: `stop` is the only good one. */
  readonly finishReason: string;
  /** Output tokens it was allowed, in our vocabulary. */
  readonly maxTokens: number;
}

/** Tokenizers differ: the provider's limit may come to a few more tokens of ours. */
const TOLERANCE = 1.2;
/** More than half of the sections that it was asked for. */
const LEAST_SECTIONS = Math.ceil(SUMMARY_SECTIONS.length / 2);

/** First words of texts that are no summary at all. */
const REFUSAL =
  /^[\s"'#*>]{0,10}(?:i[’']?m sorry|i am sorry|sorry,|i apologi[sz]e|i can(?:no|[’'])t\b|i[’']?m (?:not able|unable)|i am (?:not able|unable)|as an ai\b|unfortunately, i)/i;
const ERROR_TEXT =
  /^[\s#*`]{0,10}(?:\{\s{0,20}"?error|<!doctype|<html|error\b[ :]|internal server error|\d{3} [a-z ]{3,40}error|rate limit|too many requests|(?:this model[’']s )?maximum context length|prompt is too long|traceback \()/i;
/** Addressed to the assistant instead of telling about the conversation. */
const COMMAND =
  /^[\s#*>_"'-]{0,10}(?:(?:important|system|note|new instructions?|instructions?)\b[^a-z\n]{0,10})?(?:(?:please|now|you must|you should|you have to)[ ,]{1,3})?(?:(?:ignore|disregard|forget|override) (?:all |any |everything |the |your |these |of ){0,4}(?:previous|prior|above|earlier|preceding|instructions?|before)|you are now\b|act as\b|new (?:system )?(?:prompt|instructions?)\b|your (?:new|real) (?:task|instructions?)\b)/i;
const SYSTEM_TAG = /^[\s*#]{0,10}(?:<\|?\/?\s{0,5}(?:system|im_start|im_end)|\[?(?:system|inst)\]?\s{0,5}[:\]])/i;

/**
 * Says what is wrong with a summarizer's text, in a short sentence, or null where it can be trusted: it ended by
 * itself, has most of its sections, is not too long, does not go round in circles, and is neither an error, nor a
 * refusal, nor addressed to the assistant. (Whatever it says enters the context as history, never as instructions.)
 */
export function checkNarrative(text: string, { finishReason, maxTokens }: NarrativeFacts): string | null {
  if (text.trim() === '') return 'It is empty.';
  if (finishReason !== 'stop') return `It did not end by itself (${finishReason}).`;
  if (ERROR_TEXT.test(text)) return 'It is an error message.';
  if (REFUSAL.test(text)) return 'It is a refusal.';
  if (text.length > maxTokens * 12 || countTokens(text) > maxTokens * TOLERANCE) return 'It is longer than allowed.';
  if (startsSections(text, COMMAND) || startsSections(text, SYSTEM_TAG)) return 'It gives the assistant orders.';
  const sections = sectionsIn(text).size;
  if (sections < LEAST_SECTIONS) return `It has ${sections} of its ${SUMMARY_SECTIONS.length} sections.`;
  return isLooping(text) ? 'It repeats itself.' : null;
}

/** Returns whether the text, or the first line under one of its headings, begins like that. */
function startsSections(text: string, pattern: RegExp): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.some((line, index) => {
    const isFirst = index === 0 || /^ {0,3}(?:#{1,6} |\*\*)/.test(lines[index - 1] ?? '');
    return isFirst && pattern.test(line.slice(0, 300));
  });
}

/** Characters that are looked at together, and the step to the next such window. */
const WINDOW = 800;
const STEP = 400;
/** Longer than what lines of a list have in common. */
const SHINGLE = 32;
/** Share of a window's shingles that may be repetitions. */
const MOST_REPEATED = 0.5;

/** Returns whether some stretch of the text repeats itself: words, lines, or characters without a space. */
function isLooping(text: string): boolean {
  const plain = text.replaceAll(/\s+/g, ' ');
  for (let start = 0; start === 0 || start + WINDOW - STEP < plain.length; start += STEP) {
    const window = plain.slice(start, start + WINDOW);
    const count = window.length - SHINGLE + 1;
    if (count < SHINGLE * 4) continue;
    const distinct = new Set<string>();
    for (let at = 0; at < count; at += 1) distinct.add(window.slice(at, at + SHINGLE));
    if (1 - distinct.size / count > MOST_REPEATED) return true;
  }
  return false;
}

/** A heading in any of the ways models write them: `## Name`, `**Name**`, `3. Name:`. */
const HEADING =
  /^ {0,3}(?:#{1,6} {1,5})?(?:\d{1,2}[.)] {0,5})?(?:\*\*|__)?([A-Za-z][A-Za-z ,&]{2,40}?)(?:\*\*|__)? {0,5}:?(?:\*\*|__)?[ #]{0,10}$/;
/** The engine writes the title. */
const TITLE = /^[#* ]{0,8}Session Summary\b/i;
const ANY_HEADING = /^ {0,3}#{1,6} {1,5}/;

/**
 * The texts of the sections that a narrative has. What stands before its first known heading, and under headings of
 * its own making, belongs to the section before it (a preamble, or a text without any sections, to What Was
 * Accomplished); such headings become plain lines, so that none passes for a part that code wrote.
 */
export function parseNarrative(narrative: string): ReadonlyMap<SummarySection, string> {
  const sections = new Map<SummarySection, string[]>();
  let current: SummarySection = 'What Was Accomplished';
  for (const line of narrative.trim().split('\n')) {
    if (TITLE.test(line)) continue;
    const name = sectionNamed(line);
    if (name !== null) current = name;
    const lines = sections.get(current) ?? [];
    sections.set(current, name === null ? [...lines, line.replace(ANY_HEADING, '')] : lines);
  }
  const told = [...sections].map(([name, lines]) => [name, lines.join('\n').trim()] as const);
  return new Map(told.filter(([, text]) => text !== '' && !/^[-* ]{0,3}(?:None|N\/A)\.?$/i.test(text)));
}

/** Lists the sections that a text has, by their headings. */
export function sectionsIn(text: string): ReadonlySet<SummarySection> {
  return new Set(text.split('\n').flatMap((line) => sectionNamed(line) ?? []));
}

const byName = new Map(SUMMARY_SECTIONS.map((name) => [comparable(name), name]));

/** The section that a line is the heading of; null where it is none. */
function sectionNamed(line: string): SummarySection | null {
  const [, name = ''] = HEADING.exec(line.slice(0, 100)) ?? [];
  return byName.get(comparable(name)) ?? null;
}

function comparable(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/\band\b|&/g, '')
    .replaceAll(/[^a-z]+/g, ' ')
    .trim();
}
