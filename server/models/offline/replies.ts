import { sectionTypeName, withArticle } from '#server/core/site/field-names';
import type { JsonObject, JsonValue } from '#server/core/json';
import { oneLine, shorten } from '#server/core/text/short-text';
import { type Call, listOf, type Made, objectOf, textOf } from '#server/models/offline/work';

/**
 * Describes the outcome of a call, below the card that shows the call: it does not repeat the card, and uses names
 * rather than ids. Errors are passed on unchanged.
 */
export function replyOf({ toolName, input, outcome }: Made): string {
  switch (outcome.kind) {
    case 'failed':
      return `That did not work: ${outcome.error}`;
    case 'denied':
      return `Not done: ${outcome.reason}`;
    case 'lost':
      return `${toolName} was already done earlier in this request.`;
    case 'done': {
      const tell = REPLIES[toolName];
      const { value } = outcome;
      const result = objectOf(value);
      if (tell === undefined || !isOurs(toolName, result)) return ownWordsOf(toolName, value);
      return tell(result, { toolName, input });
    }
  }
}

/** The field with the list in the result of each of our list tools; results of other tools name their page or post. */
const LISTS: Readonly<Record<string, string>> = {
  list_content: 'items',
  get_content: 'sections',
  search_content: 'hits',
};
/** The field with the text in the result of a tool that does not concern a single page or post. */
const TEXTS: Readonly<Record<string, string>> = { undo: 'summary', remember_instruction: 'kept' };

/** The states of a page or post, one of which a result must report when the work is done. */
const REACHED: Readonly<Record<string, readonly string[]>> = {
  publish_content: ['published', 'changed'],
  unpublish_content: ['draft'],
  delete_content: ['trashed'],
};

/**
 * True if a result has the form that our tools report for completed work. Another program may have a tool with the same
 * name, and one of our results may say that a person has to approve first.
 */
function isOurs(toolName: string, value: JsonObject): boolean {
  const hasProblem = value.isError === true || ['error', 'message', 'requestId'].some((field) => field in value);
  const list = LISTS[toolName];
  if (list !== undefined) return !hasProblem && Array.isArray(value[list]);
  const reached = REACHED[toolName];
  if (reached && value.publishAt === undefined && !reached.includes(textOf(value.status))) return false;
  return !hasProblem && textOf(value[TEXTS[toolName] ?? 'title']) !== '';
}

/** Maximum characters of a result that are repeated. */
const MAX_RESULT_CHARS = 1_000;

/** The result's own message, for the reader to interpret. */
function ownWordsOf(toolName: string, value: JsonValue): string {
  const words = messageIn(value);
  return words === '' ? `${toolName} gave no message.` : shorten(words, MAX_RESULT_CHARS);
}

function messageIn(value: JsonValue): string {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value))
    return value
      .map((each) => messageIn(objectOf(each).text ?? ''))
      .filter(Boolean)
      .join('\n');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const named = [value.message, value.error, value.reason, value.text, value.content];
  const found = named
    .filter((each) => each !== undefined && each !== null)
    .map(messageIn)
    .find((each) => each !== '');
  return found ?? (Object.keys(value).length === 0 ? '' : JSON.stringify(value));
}

/** One completed action, with ids and slugs: for a list of many, and for readers who ask for them. */
export function recordOf(made: Made): string {
  const { toolName, outcome } = made;
  const tell = RECORDS[toolName];
  if (tell === undefined || outcome.kind !== 'done' || !isOurs(toolName, objectOf(outcome.value))) return replyOf(made);
  return tell(objectOf(outcome.value));
}

const REPLIES: Readonly<Record<string, (value: JsonObject, call: Call) => string>> = {
  create_content: (v) => `${textOf(v.title)} is ready as a draft.`,
  update_content: (v) => `The draft of ${textOf(v.title)} has it now.`,
  delete_content: (v) => `${textOf(v.title)} is in the trash. "Undo that" brings it back.`,
  publish_content: (v) =>
    v.publishAt === undefined ? `Visitors see ${textOf(v.title)} now.` : `${textOf(v.title)} is scheduled.`,
  unpublish_content: (v) => `Visitors do not see ${textOf(v.title)} any more. Its draft stays.`,
  add_section: (v) =>
    `${textOf(v.title)} has ${withArticle(sectionTypeName(textOf(v.sectionType)))} section in place ${Number(v.position)} now.`,
  update_section: (v) => `The draft of ${textOf(v.title)} has it now.`,
  remember_instruction: (v) =>
    v.note === undefined
      ? `Kept for the whole site, in every conversation: ${textOf(v.kept)}`
      : `The site's instructions say this already: ${textOf(v.kept)}`,
  undo: () => 'It is as it was before.',
  list_content: listReply,
  get_content: contentReply,
  search_content: searchReply,
};

const RECORDS: Readonly<Record<string, (value: JsonObject) => string>> = {
  create_content: (v) => `Created ${entry(v)} as a draft.`,
  update_content: (v) => `Changed ${entry(v)}.`,
  delete_content: (v) => `Deleted ${entry(v)}. "Undo that" brings it back.`,
  publish_content: (v) => `Published ${entry(v)}.`,
  unpublish_content: (v) => `Unpublished ${entry(v)}; its draft stays.`,
  add_section: (v) =>
    `Added ${withArticle(textOf(v.sectionType))} section (${textOf(v.sectionId)}) at position ${Number(v.position)} of ${entry(v)}.`,
  update_section: (v) =>
    `Changed ${listOf(v.fields).map(textOf).join(', ')} of section ${textOf(v.sectionId)} on ${entry(v)}.`,
  undo: (v) => `Undone: ${textOf(v.summary)} (${textOf(v.changeId)})`,
};

function entry({ id, type, title, slug }: JsonObject): string {
  return `the ${textOf(type)} "${textOf(title)}" (${textOf(id)}, slug ${textOf(slug)})`;
}

function listReply(value: JsonObject, { input }: Call): string {
  const items = listOf(value.items).map(objectOf);
  const kind = input.type === 'post' ? 'posts' : 'pages';
  const total = Number(value.total);
  const lines = items.map(({ title, status }) => `- ${textOf(title)} (${STATES[textOf(status)] ?? textOf(status)})`);
  if (items.length === 0) return `There are no ${kind}.`;
  const head = total === 1 ? `There is 1 ${kind.slice(0, -1)}:` : `There are ${total} ${kind}:`;
  return [head, ...lines].join('\n');
}

function contentReply(value: JsonObject): string {
  const sections = listOf(value.sections).map(objectOf);
  const lines = sections.map((section, index) => `${index + 1}. ${sectionLine(section)}`);
  const count = `${sections.length} ${sections.length === 1 ? 'section' : 'sections'}`;
  const state = STATES[textOf(value.status)] ?? textOf(value.status);
  return [`${textOf(value.title)} (${state}) has ${count}:`, ...lines].join('\n');
}

const STATES: Readonly<Record<string, string>> = {
  draft: 'draft',
  published: 'published',
  changed: 'published, with changes in the draft',
};

/** A section described by its type and first words. */
export function sectionLine(section: JsonObject): string {
  const fields = objectOf(section.fields);
  const words = textOf(fields.heading) || textOf(fields.quote) || textOf(fields.body) || textOf(fields.caption);
  const gist = oneLine(words, 80);
  return `${sectionTypeName(textOf(section.type))}${gist === '' ? '' : `: ${gist}`}`;
}

function searchReply(value: JsonObject, { input }: Call): string {
  const hits = listOf(value.hits).map(objectOf);
  const query = `"${textOf(input.query)}"`;
  if (hits.length === 0) return `Nothing found for ${query}.`;
  const lines = hits.map((hit) => `- ${textOf(hit.title)} (${textOf(hit.type)}): ${textOf(hit.snippet)}`);
  return [`Found ${hits.length} ${hits.length === 1 ? 'match' : 'matches'} for ${query}:`, ...lines].join('\n');
}
