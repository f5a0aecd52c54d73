import { SUMMARY_SECTIONS } from '#server/core/engine-words';
import { isStanding, normalized, splitClauses, valueOf } from '#server/models/offline/clauses';
import type { Conversation } from '#server/models/offline/conversation';
import { recordOf } from '#server/models/offline/replies';
import { isWrite } from '#server/models/offline/work';

/** Only these headings end a section of a summary: a request quoted in one may have headings of its own. */
const HEADINGS: ReadonlySet<string> = new Set(SUMMARY_SECTIONS.map(normalized));

/** The answer to "what did I ask first?". */
export function firstRequest({ summary, userTexts }: Conversation): string {
  const first = sectionText(summary, 'Original Task') || userTexts[0];
  return first === undefined ? 'I see no request of yours.' : `Your first request was:\n${first}`;
}

/** Lines of each part of the answer: what came before them is counted, so that it stays one to read. */
const MOST_LISTED = 60;

/** The answer to "what have we done so far?": what the summary keeps, then what the visible results show. */
export function doneSoFar({ summary, earlier, open }: Conversation): string {
  const before = sectionText(summary, 'What Was Accomplished');
  const since = [...earlier, ...open.calls].flatMap(({ outcome, ...call }) =>
    isWrite(call.toolName) && outcome?.kind === 'done' ? [`- ${recordOf({ ...call, outcome })}`] : [],
  );
  const parts = [
    ...(before === '' ? [] : [`From the summary of our earlier conversation:\n${newest(before.split('\n'))}`]),
    ...(since.length === 0 ? [] : [`${before === '' ? 'So far' : 'Since then'}:\n${newest(since)}`]),
  ];
  return parts.join('\n\n') || 'Nothing has been changed in this conversation so far.';
}

function newest(lines: readonly string[]): string {
  const others = lines.length - MOST_LISTED;
  return [...(others > 0 ? [`(${others} lines before these)`] : []), ...lines.slice(-MOST_LISTED)].join('\n');
}

/** The answer to "what are my standing instructions?": those of the conversation, then those of the site. */
export function standingInstructions({ summary, userTexts, standing }: Conversation): string {
  const standingOf = (text: string) => splitClauses(text).filter((clause) => isStanding(clause.text));
  const kept = sectionText(summary, 'User Preferences').split(/^[-*] |\n/m);
  const lines = kept.map((line) => line.trim().replace(/^"(.*)"$/, '$1'));
  const texts = [
    ...lines.filter((line) => standingOf(line).length > 0),
    ...[...wordsInRecord(summary), ...userTexts].flatMap(standingOf).map(({ text, quotes }) => valueOf(text, quotes)),
  ];
  const unique = [...new Map(texts.map((text) => [normalized(text), `- ${text}`])).values()];
  const parts = [
    ...(unique.length === 0 ? [] : [['Your standing instructions:', ...unique].join('\n')]),
    ...(standing === '' ? [] : [`The standing instructions of this site:\n${standing}`]),
  ];
  return parts.join('\n\n') || 'You have not given me any standing instructions that I can still see.';
}

/** The user's words that a summary keeps, line by line, without the lines about what was done. */
function wordsInRecord(summary: string | null): string[] {
  const record = sectionText(summary, 'What Was Accomplished').split('\n');
  return record.filter((line) => !line.startsWith('- ')).map((line) => line.replace(/^\d+\. User: /, ''));
}

function sectionText(summary: string | null, heading: (typeof SUMMARY_SECTIONS)[number]): string {
  const lines = (summary ?? '').split('\n');
  const isHeading = (line: string) => /^#{2,3} /.test(line) && HEADINGS.has(normalized(line));
  const start = lines.findIndex((line) => isHeading(line) && normalized(line) === normalized(heading));
  if (start === -1) return '';
  const end = lines.findIndex((line, index) => index > start && isHeading(line));
  return lines
    .slice(start + 1, end === -1 ? undefined : end)
    .join('\n')
    .trim();
}
