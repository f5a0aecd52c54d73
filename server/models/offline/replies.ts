import type { JsonObject } from '#server/core/json';
import { withArticle } from '#server/core/visible-text';
import { type Call, listOf, type Made, objectOf, textOf } from '#server/models/offline/work';

/** Describes a call and its outcome, with ids and slugs; errors are passed on as they are. */
export function replyOf({ toolName, input, outcome }: Made): string {
  switch (outcome.kind) {
    case 'failed':
      return `That did not work (${toolName}): ${outcome.error}`;
    case 'denied':
      return `Not done (${toolName}): ${outcome.reason}`;
    case 'lost':
      return `${toolName} was already done earlier in this request.`;
    case 'done': {
      const tell = DESCRIPTIONS[toolName];
      if (tell === undefined || typeof outcome.value === 'string') return `${toolName} is done.`;
      return tell(objectOf(outcome.value), { toolName, input });
    }
  }
}

const DESCRIPTIONS: Readonly<Record<string, (value: JsonObject, call: Call) => string>> = {
  create_content: (v) => `Created ${entry(v)} as a draft.`,
  update_content: (v) => `Changed ${entry(v)}.`,
  delete_content: (v) => `Deleted ${entry(v)}. "Undo that" brings it back.`,
  publish_content: (v) => `Published ${entry(v)}.`,
  unpublish_content: (v) => `Unpublished ${entry(v)}; its draft stays.`,
  add_section: (v) =>
    `Added ${withArticle(textOf(v.sectionType))} section (${textOf(v.sectionId)}) at position ${Number(v.position)} of ${entry(v)}.`,
  update_section: (v) =>
    `Changed ${listOf(v.fields).map(textOf).join(', ')} of section ${textOf(v.sectionId)} on ${entry(v)}.`,
  remember_instruction: (v) =>
    v.note === undefined
      ? `Kept for the whole site, in every conversation: ${textOf(v.kept)}`
      : `The site's instructions say this already: ${textOf(v.kept)}`,
  undo: (v) => `Undone: ${textOf(v.summary)} (${textOf(v.changeId)})`,
  list_content: listReply,
  get_content: contentReply,
  search_content: searchReply,
};

function entry({ id, type, title, slug }: JsonObject): string {
  return `the ${textOf(type)} "${textOf(title)}" (${textOf(id)}, slug ${textOf(slug)})`;
}

function listReply(value: JsonObject, { input }: Call): string {
  const items = listOf(value.items).map(objectOf);
  const kind = input.type === 'post' ? 'posts' : 'pages';
  const total = Number(value.total);
  const lines = items.map(
    ({ title, id, slug, status }) => `- ${textOf(title)} (${textOf(id)}, slug ${textOf(slug)}, ${textOf(status)})`,
  );
  if (items.length === 0) return `There are no ${kind}.`;
  const head = total === 1 ? `There is 1 ${kind.slice(0, -1)}:` : `There are ${total} ${kind}:`;
  return [head, ...lines].join('\n');
}

function contentReply(value: JsonObject): string {
  const sections = listOf(value.sections).map(objectOf);
  const lines = sections.map((section, index) => `${index + 1}. ${sectionLine(section)}`);
  const name = entry(value).replace('the', 'The');
  const count = `${sections.length} ${sections.length === 1 ? 'section' : 'sections'}`;
  return [`${name}, ${textOf(value.status)}, has ${count}.`, ...lines].join('\n');
}

/** A section by its type, id and first words. */
export function sectionLine(section: JsonObject): string {
  const fields = objectOf(section.fields);
  const words = textOf(fields.heading) || textOf(fields.quote) || textOf(fields.body) || textOf(fields.caption);
  const text = words.replace(/\s+/g, ' ').trim();
  const gist = text.length > 80 ? `${text.slice(0, 79).toWellFormed()}…` : text;
  return `${textOf(section.type)} (${textOf(section.id)})${gist === '' ? '' : `: ${gist}`}`;
}

function searchReply(value: JsonObject, { input }: Call): string {
  const hits = listOf(value.hits).map(objectOf);
  const query = `"${textOf(input.query)}"`;
  if (hits.length === 0) return `Nothing found for ${query}.`;
  const lines = hits.map(
    (hit) =>
      `- ${textOf(hit.title)} (${textOf(hit.type)} ${textOf(hit.id)}, slug ${textOf(hit.slug)}): ${textOf(hit.snippet)}`,
  );
  return [`Found ${hits.length} ${hits.length === 1 ? 'match' : 'matches'} for ${query}:`, ...lines].join('\n');
}
