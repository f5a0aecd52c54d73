import { SUMMARY_SECTIONS } from '#server/core/engine-words';
import type { Conversation, RecordedCall } from '#server/models/offline/conversation';
import { isStanding, splitClauses, verbatim } from '#server/models/offline/grammar';
import { normalized } from '#server/models/offline/names';
import { replyOf } from '#server/models/offline/replies';
import { isWrite } from '#server/models/offline/world';

/** The user's always and never sentences, as they were written, from the summary and the messages in the prompt. */
function standingInstructions(conversation: Conversation): string[] {
  const remembered = sectionLines(conversation.summary, 'User Preferences').filter((line) => {
    const [clause] = splitClauses(line);
    return clause !== undefined && isStanding(clause.text);
  });
  const visible = conversation.userTexts
    .flatMap(splitClauses)
    .filter((clause) => isStanding(clause.text))
    .map(verbatim);
  const unique = new Map([...remembered, ...visible].map((text) => [normalized(text), text]));
  return [...unique.values()];
}

/** The reply to "what are my standing instructions?". */
export function standingReply(conversation: Conversation): string {
  const known = standingInstructions(conversation).map((text) => `- ${text}`);
  const parts = [
    ...(known.length === 0 ? [] : [['Your standing instructions:', ...known].join('\n')]),
    ...(conversation.standing === '' ? [] : [`The standing instructions of this site:\n${conversation.standing}`]),
  ];
  return parts.join('\n\n') || 'You have not given me any standing instructions that I can still see.';
}

/** The reply to "what have we done so far?": what the summary keeps, then what the visible results show. */
export function doneReply(conversation: Conversation): string {
  const before = sectionText(conversation.summary, 'What Was Accomplished');
  const since = [...conversation.earlier, ...conversation.open.calls].flatMap(doneLine);
  const parts = [
    ...(before === '' ? [] : [`From the summary of our earlier conversation:\n${before}`]),
    ...(since.length === 0 ? [] : [`${before === '' ? 'So far' : 'Since then'}:\n${since.join('\n')}`]),
  ];
  return parts.length === 0 ? 'Nothing has been changed in this conversation so far.' : parts.join('\n\n');
}

/** The reply to "what did I ask first?". */
export function firstRequestReply(conversation: Conversation): string {
  const first = sectionText(conversation.summary, 'Original Task') || conversation.userTexts[0];
  return first === undefined ? 'I see no request of yours.' : `Your first request was:\n${first}`;
}

function doneLine({ toolName, input, outcome }: RecordedCall): string[] {
  if (!isWrite(toolName) || outcome?.kind !== 'done') return [];
  return [`- ${replyOf({ call: { toolName, input }, outcome })}`];
}

function sectionLines(summary: string | null, heading: string): string[] {
  return sectionText(summary, heading)
    .split('\n')
    .map((line) => line.replace(/^[-*] /, '').trim())
    .filter((line) => line !== '');
}

/** The text under a heading of the summary, as it stands there. */
function sectionText(summary: string | null, heading: string): string {
  const lines = (summary ?? '').split('\n');
  const isHeading = (line: string) => /^#{2,3} /.test(line);
  const start = lines.findIndex((line) => isHeading(line) && normalized(line) === normalized(heading));
  if (start === -1) return '';
  const length = lines.slice(start + 1).findIndex((line) => isHeading(line) && SUMMARY_HEADINGS.has(normalized(line)));
  return lines
    .slice(start + 1, length === -1 ? undefined : start + 1 + length)
    .join('\n')
    .trim();
}

/** Only these end a section: a request quoted in one may itself have headings. */
const SUMMARY_HEADINGS: ReadonlySet<string> = new Set(SUMMARY_SECTIONS.map(normalized));
