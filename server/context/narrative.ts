import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { countTokens } from '#server/context/tokens';
import { NARRATIVE_ORDER, SUMMARY_SECTIONS, type SummarySection } from '#server/core/conversation/summary-sections';
import { excerptTokens, newestWithin } from '#server/core/text/excerpt';

/** Minimum number of sections of a usable text: half of those that were requested. */
const MIN_SECTIONS = Math.ceil(SUMMARY_SECTIONS.length / 2);

/** A line that starts like a message of a chat template. Text after it could be read as another speaker's. */
const TEMPLATE_MARK = /^[\s*#]{0,10}(?:<\|(?:im_start|im_end|system)|<\/?system>|\[\/?(?:system|inst)\])/im;

/**
 * Checks the text of a summarizer and returns its complete sections. Refuses a text without the requested sections (an
 * error message, a refusal), a text that repeats itself, and a text with marks of a chat template. The meaning of the
 * words is never judged.
 * @param finishReason as the AI SDK names it: `stop`, or `length` for a text that was cut off
 * @param maxTokens largest part that is kept, in our vocabulary
 * @returns the text as it is kept, or the reason for the refusal as a short sentence
 */
export function checkNarrative(
  text: string,
  finishReason: string,
  maxTokens: number,
): { readonly text: string } | { readonly problem: ServerText } {
  const isCut = finishReason === 'length';
  if (text.trim() === '') return { problem: serverText(isCut ? 'summary-only-thoughts' : 'summary-empty') };
  if (finishReason !== 'stop' && !isCut) return { problem: serverText('summary-not-ended', { reason: finishReason }) };
  if (TEMPLATE_MARK.test(text)) return { problem: serverText('summary-template-marks') };
  const named = sectionsIn(text).filter(([name]) => name !== null);
  const sections = named.map(([name, lines]) => [`### ${name}`, ...lines].join('\n').trim());
  const kept = wholeSections(sections, isCut, maxTokens);
  const isShortened = kept.length < sections.length;
  if (sections.length < (isShortened || isCut ? 1 : MIN_SECTIONS)) {
    return { problem: serverText('summary-sections', { count: sections.length, most: SUMMARY_SECTIONS.length }) };
  }
  return isLooping(kept.join('\n\n')) ? { problem: serverText('summary-repeats') } : { text: kept.join('\n\n') };
}

/** The lines of a text by section, in order. Lines before the first heading belong to no section (null). */
function sectionsIn(text: string): [SummarySection | null, string[]][] {
  const lines = text.trim().split('\n');
  const foreign = lines.flatMap((line, index) => (ANY_HEADING.test(line) ? [index] : []));
  const hasNames = lines.some((line) => sectionNamed(line) !== null);
  // Headings in another language are accepted if all seven are present.
  const isForeign = foreign.length === NARRATIVE_ORDER.length && !hasNames;
  const sections: [SummarySection | null, string[]][] = [[null, []]];
  const numbered = hasNames ? numberedBetween(lines) : numberedHeadings(lines);
  for (const [index, line] of lines.entries()) {
    const name =
      sectionNamed(line) ?? numbered.get(index) ?? (isForeign ? NARRATIVE_ORDER[foreign.indexOf(index)] : null);
    if (name) sections.push([name, []]);
    else if (!TITLE.test(line)) sections.at(-1)![1].push(line);
  }
  return sections;
}

/** A heading with a number: `### 3. Nächste Schritte`, `**3.** 次の作業`. */
const NUMBERED = /^ {0,3}(?:#{1,6} {1,5}(?:\*\*|__)?|\*\*|__)([1-9])(?:[.):](?!\d)|(?=\*\*|__|\s*$))/;

/**
 * The sections that numbered headings begin, by their line: whatever their words are. Empty if the numbers are not those
 * of the sections in their order.
 */
function numberedHeadings(lines: readonly string[]): ReadonlyMap<number, SummarySection> {
  const found = lines.flatMap((line, index) => {
    const number = Number(NUMBERED.exec(line)?.[1] ?? 0);
    return number > 0 ? [[index, number] as const] : [];
  });
  const isInOrder = found.every(
    ([, number], at) => number > (found[at - 1]?.[1] ?? 0) && number <= NARRATIVE_ORDER.length,
  );
  return new Map(isInOrder ? found.map(([index, number]) => [index, NARRATIVE_ORDER[number - 1]!]) : []);
}

/**
 * The sections of numbered headings with other words between headings with names, by their line: each that stands in the
 * order of the sections. Bold numbers are those of lists there.
 */
function numberedBetween(lines: readonly string[]): ReadonlyMap<number, SummarySection> {
  const numberOf = (line: string) => NARRATIVE_ORDER.findIndex((name) => name === sectionNamed(line)) + 1;
  const named = lines.map(numberOf);
  const found = new Map<number, SummarySection>();
  let before = 0;
  for (const [index, line] of lines.entries()) {
    const number = Number(ANY_HEADING.test(line) ? (NUMBERED.exec(line)?.[1] ?? 0) : 0);
    const after = named.slice(index).find((each) => each > 0) ?? Infinity;
    const section = NARRATIVE_ORDER[number - 1];
    if (named[index] === 0 && section && number > before && number < after) {
      found.set(index, section);
      before = number;
    }
    before = named[index] || before;
  }
  return found;
}

/** The first complete sections that fit together. Of the first section at least a part is kept. */
function wholeSections(sections: readonly string[], isCut: boolean, maxTokens: number): string[] {
  const whole = isCut && sections.length > 1 ? sections.slice(0, -1) : sections;
  // A text that is far too long is not counted: 12 characters per token are more than any language has.
  const costOf = (section: string) => (section.length > maxTokens * 12 ? Infinity : countTokens(section) + 1);
  const fitting = newestWithin(whole.toReversed(), maxTokens, costOf).toReversed();
  const [first] = whole;
  return fitting.length > 0 || first === undefined ? fitting : [excerptTokens(first, maxTokens, countTokens)];
}

/** Longest repeated passage that is searched for; characters. */
const MAX_PASSAGE = 600;
/** Minimum length of all repetitions together; characters. */
const MIN_REPEATED = 200;
/** How often a passage has to be repeated after its first occurrence. */
const REPETITIONS = 3;

/**
 * Returns whether a passage of the text repeats itself word for word. Lines of a list that differ in a name do not
 * count.
 */
function isLooping(text: string): boolean {
  const plain = text.replaceAll(/\s+/g, ' ');
  for (let length = 1; length <= MAX_PASSAGE; length += 1) {
    const most = Math.max(MIN_REPEATED, length * REPETITIONS);
    let run = 0;
    for (let at = length; at < plain.length; at += 1) {
      run = plain.charCodeAt(at) === plain.charCodeAt(at - length) ? run + 1 : 0;
      if (run === most) return true;
    }
  }
  return false;
}

/** A heading in the forms that models write: `## Name`, `**Name**`, `3. Name:`. */
const HEADING =
  /^ {0,3}(?:#{1,6} {1,5})?(?:\d{1,2}[.)] {0,5})?(?:\*\*|__)?([A-Za-z][A-Za-z ,&]{2,40}?)(?:\*\*|__)? {0,5}:?(?:\*\*|__)?[ #]{0,10}$/;
/** Matches the title of a summary, which the engine writes itself. */
const TITLE = /^[#* ]{0,8}Session Summary\b/i;
/** Unknown headings as plain lines; those with nothing below them are left out. */
function withoutHeadings(lines: readonly string[]): string[] {
  const kept: string[] = [];
  /** The next line with text. */
  let next: string | null = null;
  for (const line of lines.toReversed()) {
    if (!ANY_HEADING.test(line)) kept.push(line);
    else if (next !== null && !ANY_HEADING.test(next)) kept.push(line.replace(ANY_HEADING, ''));
    if (line.trim() !== '') next = line;
  }
  return kept.toReversed();
}

/** A line that says that there is nothing to say. */
const NOTHING = /^[-* ]{0,3}(?:None|N\/A)\.?\s*$/i;
/** Matches any Markdown heading. */
const ANY_HEADING = /^ {0,3}#{1,6} {1,5}/;

/**
 * The texts of the sections of a narrative. Text before the first known heading belongs to What Was Accomplished.
 * Unknown headings become plain lines of the previous section, so that none can pass for a part that code wrote.
 */
export function parseNarrative(narrative: string): ReadonlyMap<SummarySection, string> {
  const sections = sectionsIn(narrative).filter(([, lines]) => lines.some((line) => line.trim() !== ''));
  const byName = Map.groupBy(sections, ([name]) => name ?? 'What Was Accomplished');
  const texts = [...byName].map(([name, parts]) => {
    const lines = parts.flatMap((part) => part[1]).filter((line) => !NOTHING.test(line));
    return [name, withoutHeadings(lines).join('\n').trim()] as const;
  });
  return new Map(texts.filter(([, text]) => text !== ''));
}

/**
 * The narrative in a summary that was stored before narratives were stored separately: all sections except those that
 * code mostly writes.
 */
export function narrativeOf(summary: string): string | null {
  return narrativeText([...parseNarrative(summary)].filter(([name]) => !CODE_SECTIONS.has(name))) || null;
}

/** Sections as one text that `parseNarrative` can parse again. */
export function narrativeText(sections: Iterable<readonly [SummarySection, string]>): string {
  return [...sections].map(([name, text]) => `### ${name}\n${text}`).join('\n\n');
}

/** Sections that code mostly writes. */
const CODE_SECTIONS: ReadonlySet<SummarySection> = new Set([
  'Original Task',
  'What Was Accomplished',
  'User Preferences',
]);

/** Names of the sections, by their comparable form. */
const sectionNames = new Map(SUMMARY_SECTIONS.map((name) => [comparable(name), name]));

/** The section that a heading line names. Null: the line is not a heading. */
function sectionNamed(line: string): SummarySection | null {
  const [, name = ''] = HEADING.exec(line.slice(0, 100)) ?? [];
  return sectionNames.get(comparable(name)) ?? null;
}

/** A heading in a form in which spellings do not differ. */
function comparable(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/\band\b|&/g, '')
    .replaceAll(/[^a-z]+/g, ' ')
    .trim();
}
