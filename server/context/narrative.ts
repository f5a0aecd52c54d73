import { excerptTokens } from '#server/context/excerpt';
import { countTokens, newestWithin } from '#server/context/tokens';
import { NARRATIVE_ORDER, SUMMARY_SECTIONS, type SummarySection } from '#server/core/summary-sections';

/** More than half of the sections that it was asked for. */
const LEAST_SECTIONS = Math.ceil(SUMMARY_SECTIONS.length / 2);

/** A line that begins as chat templates begin a message: behind it somebody else would seem to speak. */
const TEMPLATE_MARK = /^[\s*#]{0,10}(?:<\|(?:im_start|im_end|system)|<\/?system>|\[\/?(?:system|inst)\])/im;

/**
 * Reads a summarizer's text: its sections, up to the last whole one where it is too long or was cut off. Refused are a
 * text without its sections (an error, a refusal), one that goes round in circles, one with marks of a chat
 * template. What the words say is never judged.
 * @param finishReason as the AI SDK names it: `stop`, or `length` for a text that did not get to its end
 * @param maxTokens of it that are kept, in our vocabulary
 * @returns the text as it is kept, or why it is not, in a short sentence
 */
export function checkNarrative(
  text: string,
  finishReason: string,
  maxTokens: number,
): { readonly text: string } | { readonly problem: string } {
  const isCut = finishReason === 'length';
  if (text.trim() === '') return { problem: isCut ? THOUGHTS_ALONE : 'It is empty.' };
  if (finishReason !== 'stop' && !isCut) return { problem: `It did not end by itself (${finishReason}).` };
  if (TEMPLATE_MARK.test(text)) return { problem: 'It has the marks of a chat template.' };
  const told = sectionsIn(text).filter(([name]) => name !== null);
  const sections = told.map(([name, lines]) => [`### ${name}`, ...lines].join('\n').trim());
  const kept = wholeSections(sections, isCut, maxTokens);
  const isShortened = kept.length < sections.length;
  if (sections.length < (isShortened || isCut ? 1 : LEAST_SECTIONS)) {
    return { problem: `It has ${sections.length} of its ${SUMMARY_SECTIONS.length} sections.` };
  }
  return isLooping(kept.join('\n\n')) ? { problem: 'It repeats itself.' } : { text: kept.join('\n\n') };
}

const THOUGHTS_ALONE = 'It ended before a word of it was written: think briefly, then write.';

/** The lines of a text by section, in order; those in front of its first heading are of none (null). */
function sectionsIn(text: string): [SummarySection | null, string[]][] {
  const lines = text.trim().split('\n');
  const foreign = lines.flatMap((line, index) => (ANY_HEADING.test(line) ? [index] : []));
  // Headings of another language count where all seven are there.
  const isForeign = foreign.length === NARRATIVE_ORDER.length && !lines.some((line) => sectionNamed(line) !== null);
  const sections: [SummarySection | null, string[]][] = [[null, []]];
  for (const [index, line] of lines.entries()) {
    const name = isForeign ? NARRATIVE_ORDER[foreign.indexOf(index)] : sectionNamed(line);
    if (name) sections.push([name, []]);
    else if (!TITLE.test(line)) sections.at(-1)![1].push(line);
  }
  return sections;
}

/** The first sections that are whole and fit together; of the first at least a part. */
function wholeSections(sections: readonly string[], isCut: boolean, maxTokens: number): string[] {
  const whole = isCut && sections.length > 1 ? sections.slice(0, -1) : sections;
  // What is far too long is not even counted.
  const costOf = (section: string) => (section.length > maxTokens * 12 ? Infinity : countTokens(section) + 1);
  const fitting = newestWithin(whole.toReversed(), maxTokens, costOf).toReversed();
  const [first] = whole;
  return fitting.length > 0 || first === undefined ? fitting : [excerptTokens(first, maxTokens, countTokens)];
}

/** Characters of the longest stretch that is looked for; of repetitions in a row; and how often it comes back. */
const LONGEST_STRETCH = 600;
const LEAST_REPEATED = 200;
const REPETITIONS = 3;

/** Returns whether a stretch of the text comes back word for word; lines of a list that differ in a name are none. */
function isLooping(text: string): boolean {
  const plain = text.replaceAll(/\s+/g, ' ');
  for (let stretch = 1; stretch <= LONGEST_STRETCH; stretch += 1) {
    const most = Math.max(LEAST_REPEATED, stretch * REPETITIONS);
    let run = 0;
    for (let at = stretch; at < plain.length; at += 1) {
      run = plain.charCodeAt(at) === plain.charCodeAt(at - stretch) ? run + 1 : 0;
      if (run === most) return true;
    }
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
 * The texts of the sections of a narrative. What stands before the first known heading is of What Was Accomplished;
 * unknown headings become plain lines of the section before, so that none passes for a part that code wrote.
 */
export function parseNarrative(narrative: string): ReadonlyMap<SummarySection, string> {
  const sections = sectionsIn(narrative).filter(([, lines]) => lines.some((line) => line.trim() !== ''));
  const byName = Map.groupBy(sections, ([name]) => name ?? 'What Was Accomplished');
  const told = [...byName].map(([name, parts]) => {
    const lines = parts.flatMap((part) => part[1]).map((line) => line.replace(ANY_HEADING, ''));
    return [name, lines.join('\n').trim()] as const;
  });
  return new Map(told.filter(([, text]) => text !== '' && !/^[-* ]{0,3}(?:None|N\/A)\.?$/i.test(text)));
}

/** A model's narrative in a stored summary from before it was kept apart: all but the sections mostly of code. */
export function narrativeOf(summary: string): string | null {
  return narrativeText([...parseNarrative(summary)].filter(([name]) => !OF_CODE.has(name))) || null;
}

/** Sections as one text, which `parseNarrative` reads again. */
export function narrativeText(sections: Iterable<readonly [SummarySection, string]>): string {
  return [...sections].map(([name, text]) => `### ${name}\n${text}`).join('\n\n');
}

const OF_CODE: ReadonlySet<SummarySection> = new Set(['Original Task', 'What Was Accomplished', 'User Preferences']);

const sectionNames = new Map(SUMMARY_SECTIONS.map((name) => [comparable(name), name]));

/** The section that a line is the heading of; null where it is none. */
function sectionNamed(line: string): SummarySection | null {
  const [, name = ''] = HEADING.exec(line.slice(0, 100)) ?? [];
  return sectionNames.get(comparable(name)) ?? null;
}

function comparable(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/\band\b|&/g, '')
    .replaceAll(/[^a-z]+/g, ' ')
    .trim();
}
