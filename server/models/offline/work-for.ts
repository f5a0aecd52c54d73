import type { Conversation } from '#server/models/offline/conversation';
import { actOnEntry, changeDetail, changes, create } from '#server/models/offline/entry-work';
import { doneReply, firstRequestReply, standingReply } from '#server/models/offline/memory-replies';
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
import type { World } from '#server/models/offline/world';

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
