import { sectionTypeName, withArticle } from '#server/core/field-names';
import type { JsonObject } from '#server/core/json';
import { oneLine } from '#server/core/short-text';
import { type Call, listOf, type Made, objectOf, textOf } from '#server/models/offline/work';

/**
 * Says what came of a call, below the card that shows the call: it does not repeat the card, and names things as people
 * do. Errors are passed on as they are.
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
      if (tell === undefined || typeof outcome.value === 'string') return `${toolName} is done.`;
      return tell(objectOf(outcome.value), { toolName, input });
    }
  }
}

/** One thing that was done, with ids and slugs: for a record of many, and for whoever asks for them. */
export function recordOf(made: Made): string {
  const { toolName, outcome } = made;
  const tell = RECORDS[toolName];
  if (tell === undefined || outcome.kind !== 'done' || typeof outcome.value === 'string') return replyOf(made);
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

/** A section by its type and first words. */
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
