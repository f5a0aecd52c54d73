import { SUMMARY_SECTIONS, type SummarySection } from '#server/core/engine-words';

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

/** Which of the sections a text has, by their headings. */
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
