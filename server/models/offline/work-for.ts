import { SUMMARY_SECTIONS } from '#server/core/engine-words';
import type { Conversation, RecordedCall } from '#server/models/offline/conversation';
import { actOnEntry, changeDetail, changes, create } from '#server/models/offline/entry-work';
import { isStanding, normalized, splitClauses, verbatim } from '#server/models/offline/grammar';
import { replyOf } from '#server/models/offline/replies';
import type { Request } from '#server/models/offline/requests';
import { addItem, addSection, changeSection, moveSection, removeSection } from '#server/models/offline/section-work';
import {
  addToNavigation,
  find,
  list,
  planned,
  removeFromNavigation,
  simply,
  undo,
} from '#server/models/offline/site-work';
import type { Work } from '#server/models/offline/steps';
import { isWrite, type World } from '#server/models/offline/world';

/** What I can do, for "help" and for what I do not understand. */
const ABILITIES = [
  'I am the built-in offline assistant: no language model, but I understand requests like these:',
  '- create a page called "Pricing" about our plans',
  '- add a faq section to Pricing with the question "Is it free?" and the answer "Yes."',
  '- change the hero heading on Home to "Welcome"',
  '- move the faq section on Pricing to the top; remove the quote section from Home',
  '- rename, publish, unpublish, delete or show a page or post; set its excerpt, slug or tags',
  '- list the pages; find posts about bread; add Pricing to the navigation; set the tagline to "..."',
  '- undo that; what changed recently?; what have we done so far?; what did I ask first?',
  '- always ... or never ..., as a standing instruction; "on this site, never ..." for every conversation',
  '',
  'Join several with "and", "then" or new lines, and put texts in quotation marks.',
].join('\n');

/** The work that answers one request. */
export function workFor(request: Request, conversation: Conversation, world: World): Work<string> {
  switch (request.intent) {
    case 'create':
      return create(request, world);
    case 'add-section':
      return addSection(request, world);
    case 'change-section':
      return changeSection(request, world);
    case 'add-item':
      return addItem(request, world);
    case 'move-section':
      return moveSection(request, world);
    case 'remove-section':
      return removeSection(request, world);
    case 'change-detail':
      return changeDetail(request, world);
    case 'delete':
    case 'publish':
    case 'unpublish':
    case 'show':
      return actOnEntry(request, world);
    case 'list':
      return list(request);
    case 'planned':
      return planned();
    case 'find':
      return find(request);
    case 'add-to-navigation':
      return addToNavigation(request, world);
    case 'remove-from-navigation':
      return removeFromNavigation(request, world);
    case 'change-setting':
      return simply('set_settings', { [request.setting]: request.value });
    case 'undo':
      return undo(request);
    case 'changes':
      return changes(request, world);
    case 'section-types':
      return simply('describe_sections', {});
    case 'remember':
      return simply('remember_instruction', { kind: 'rule', text: request.text });
    case 'recall':
      return simply('recall_output', { id: request.id });
    default:
      return say(wordsFor(request, conversation));
  }
}

type Spoken = Exclude<Request, { intent: ActedOn }>;
type ActedOn = Exclude<
  Request['intent'],
  'standing' | 'standing-list' | 'done-so-far' | 'first-request' | 'help' | 'greeting' | 'unknown'
>;

function wordsFor(request: Spoken, conversation: Conversation): string {
  switch (request.intent) {
    case 'standing':
      return `Noted as a standing instruction: ${request.text}. I keep it and can repeat it; I cannot restyle texts, I write them as you give them.`;
    case 'standing-list':
      return standingReply(conversation);
    case 'done-so-far':
      return doneReply(conversation);
    case 'first-request':
      return firstRequestReply(conversation);
    case 'greeting':
      return 'Hello! Tell me what to change on the site, or say "help" to see what I understand.';
    case 'help':
      return ABILITIES;
    case 'unknown':
      return `I cannot do this: "${excerpt(request.text)}". ${ABILITIES}`;
  }
}

// A generator like the others, so that the planner treats saying and doing alike.
// oxlint-disable-next-line require-yield
function* say(text: string): Work<string> {
  return text;
}

function excerpt(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199).toWellFormed()}…` : text;
}

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
function standingReply(conversation: Conversation): string {
  const known = standingInstructions(conversation).map((text) => `- ${text}`);
  const parts = [
    ...(known.length === 0 ? [] : [['Your standing instructions:', ...known].join('\n')]),
    ...(conversation.standing === '' ? [] : [`The standing instructions of this site:\n${conversation.standing}`]),
  ];
  return parts.join('\n\n') || 'You have not given me any standing instructions that I can still see.';
}

/** The reply to "what have we done so far?": what the summary keeps, then what the visible results show. */
function doneReply(conversation: Conversation): string {
  const before = sectionText(conversation.summary, 'What Was Accomplished');
  const since = [...conversation.earlier, ...conversation.open.calls].flatMap(doneLine);
  const parts = [
    ...(before === '' ? [] : [`From the summary of our earlier conversation:\n${before}`]),
    ...(since.length === 0 ? [] : [`${before === '' ? 'So far' : 'Since then'}:\n${since.join('\n')}`]),
  ];
  return parts.length === 0 ? 'Nothing has been changed in this conversation so far.' : parts.join('\n\n');
}

/** The reply to "what did I ask first?". */
function firstRequestReply(conversation: Conversation): string {
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
