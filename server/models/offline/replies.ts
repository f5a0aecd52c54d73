import { type Call, listOf, objectOf, textOf } from '#server/models/offline/steps';
import type { Fields } from '#server/models/offline/requests';
import type { Made } from '#server/models/offline/call-on-entry';
import type { JsonValue } from '#server/core/json';
import { withArticle } from '#server/core/visible-text';

/** One sentence about a call and what came of it, with ids and slugs; errors are passed on as they are. */
export function replyOf({ call, outcome }: Made): string {
  switch (outcome.kind) {
    case 'failed':
      return `That did not work (${call.toolName}): ${outcome.error}`;
    case 'denied':
      return `Not done (${call.toolName}): ${outcome.reason}`;
    case 'lost':
      return `${call.toolName} was already done earlier in this request.`;
    case 'done':
      return describe(call, outcome.value);
  }
}

/** What a finished call did or found. */
function describe(call: Call, result: JsonValue): string {
  const value = objectOf(result);
  const tell = DESCRIPTIONS[call.toolName];
  if (tell === undefined || typeof result === 'string') return `${call.toolName} is done.`;
  return tell(value, call);
}

const DESCRIPTIONS: Readonly<Record<string, (value: Fields, call: Call) => string>> = {
  create_content: (v) => `Created ${entry(v)} as a draft.`,
  update_content: (v, call) => {
    const changed = Object.keys(call.input).filter((key) => key !== 'ref');
    return `Changed the ${changed.join(', ')} of ${entry(v)}.`;
  },
  delete_content: (v) => `Deleted ${entry(v)}. "Undo that" brings it back.`,
  publish_content: (v, call) => {
    if (call.input.at === undefined) return `Published ${entry(v)}.`;
    return v.publishAt === undefined
      ? `The planned publication of ${entry(v)} is taken back.`
      : `Planned: ${entry(v)} is published on ${textOf(v.publishAt)}.`;
  },
  unpublish_content: (v) => `Unpublished ${entry(v)}; its draft stays.`,
  add_section: (v) =>
    `Added ${withArticle(textOf(v.sectionType))} section (${textOf(v.sectionId)}) at position ${number(v.position)} of ${entry(v)}.`,
  update_section: (v) =>
    `Changed ${listOf(v.fields).map(textOf).join(', ')} of section ${textOf(v.sectionId)} on ${entry(v)}.`,
  move_section: (v) => `Moved section ${textOf(v.sectionId)} to position ${number(v.position)} of ${entry(v)}.`,
  remove_section: (v) => `Removed section ${textOf(v.sectionId)} from ${entry(v)}.`,
  set_navigation: (v) => `The navigation is now: ${menu(v)}.`,
  set_settings: (_v, call) => `Set ${pairs(call.input)}.`,
  remember_instruction: (v) =>
    v.note === undefined
      ? `Kept for the whole site, in every conversation: ${textOf(v.kept)}`
      : `This stands in the site's instructions already: ${textOf(v.kept)}`,
  undo: (v) => `Undone: ${textOf(v.summary)} (${textOf(v.changeId)})`,
  list_content: listReply,
  get_content: contentReply,
  search_content: searchReply,
  get_navigation: (v) => `The navigation: ${menu(v) || 'nothing yet'}.`,
  get_settings: (v) => `The settings: ${pairs(v)}.`,
  list_revisions: revisionsReply,
  describe_sections: (v) =>
    ['The section types:', ...Object.entries(v).map(([type, text]) => `- ${type}: ${textOf(text)}`)].join('\n'),
  recall_output: (v) => `${textOf(v.text)}${v.nextOffset === undefined ? '' : '\n(There is more of it.)'}`,
};

function entry({ id, type, title, slug }: Fields): string {
  return `the ${textOf(type)} "${textOf(title)}" (${textOf(id)}, slug ${textOf(slug)})`;
}

function listReply(value: Fields, call: Call): string {
  const items = listOf(value.items).map(objectOf);
  const planned = call.input.planned === true ? 'planned ' : '';
  const kind = `${planned}${call.input.type === 'post' ? 'posts' : 'pages'}`;
  const total = number(value.total);
  const lines = items.map(
    ({ title, id, slug, status, publishAt }) =>
      `- ${textOf(title)} (${textOf(id)}, slug ${textOf(slug)}, ${textOf(status)}${publishAt === undefined ? '' : `, planned for ${textOf(publishAt)}`})`,
  );
  const all = items.length === 1 ? `There is 1 ${kind.slice(0, -1)}:` : `There are ${total} ${kind}:`;
  const head = Number(total) > items.length ? `The first ${items.length} of ${total} ${kind}:` : all;
  return items.length === 0 ? `There are no ${kind}.` : [head, ...lines].join('\n');
}

function contentReply(value: Fields): string {
  const sections = listOf(value.sections).map(objectOf);
  const lines = sections.map(
    ({ id, type, fields }, index) => `${index + 1}. ${textOf(type)} (${textOf(id)})${gist(objectOf(fields))}`,
  );
  const name = entry(value);
  return [
    `${name[0]?.toUpperCase()}${name.slice(1)}, ${textOf(value.status)}, has ${count(sections.length, 'section')}.`,
    ...lines,
  ].join('\n');
}

function gist(fields: Fields): string {
  const words = textOf(fields.heading) || textOf(fields.quote) || textOf(fields.body) || textOf(fields.caption);
  // A line of a list holds no lines of its own.
  const text = words.replace(/\s+/g, ' ').trim();
  return text === '' ? '' : `: ${text.length > 80 ? `${text.slice(0, 79).toWellFormed()}…` : text}`;
}

function searchReply(value: Fields, call: Call): string {
  const hits = listOf(value.hits).map(objectOf);
  if (hits.length === 0) return `Nothing found for "${textOf(call.input.query)}".`;
  const lines = hits.map(
    (hit) =>
      `- ${textOf(hit.title)} (${textOf(hit.type)} ${textOf(hit.id)}, slug ${textOf(hit.slug)}): ${textOf(hit.snippet)}`,
  );
  return [`Found ${count(hits.length, 'match', 'matches')} for "${textOf(call.input.query)}":`, ...lines].join('\n');
}

function revisionsReply(value: Fields): string {
  const lines = listOf(value.changes)
    .map(objectOf)
    .map(
      (change) =>
        `- ${textOf(change.summary)} (${textOf(change.changeId)}, by ${textOf(change.by)}${change.undone === true ? ', undone' : ''})`,
    );
  return lines.length === 0 ? 'Nothing has changed yet.' : ['The newest changes:', ...lines].join('\n');
}

function menu(value: Fields): string {
  return listOf(value.items)
    .map(objectOf)
    .map(({ label, href }) => `${textOf(label)} (${textOf(href)})`)
    .join(', ');
}

function pairs(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name} "${textOf(value)}"`)
    .join(', ');
}

function number(value: JsonValue | undefined): string {
  return typeof value === 'number' ? String(value) : '?';
}

function count(amount: number, one: string, many = `${one}s`): string {
  return `${amount} ${amount === 1 ? one : many}`;
}
