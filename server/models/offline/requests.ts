import type { JsonObject } from '#server/core/json';
import type { SectionDefinition } from '#server/core/sections/section-definition';
import {
  type Clause,
  hasWords,
  isStanding,
  IT,
  nameOf,
  normalized,
  QUOTED,
  sentence,
  siteRule,
  valueOf,
} from '#server/models/offline/clauses';
import {
  doneSoFar,
  firstRequest,
  ORDINALS,
  type Scene,
  standingInstructions,
} from '#server/models/offline/conversation';
import { sectionDefinitions } from '#sections/fields';
import { replyOf, sectionLine } from '#server/models/offline/replies';
import { callOne, isWrite, listOf, type Made, objectOf, textOf, type Work } from '#server/models/offline/work';

/** Error of tools for a name that does not match exactly one page or post. */
const NAME_PROBLEM = /\bthere is no page or post\b|\bfits several\b/i;

/**
 * Calls a tool on the page or post that `name` means. If none has exactly this name, it searches the lists, and asks
 * the user if several match, or if a write concerns one whose name matches only in part. Returns the reply if no tool
 * was called.
 */
function* callOnEntry(scene: Scene, name: string, toolName: string, input: JsonObject = {}): Work<Made | string> {
  const ref = name === IT ? scene.last : name;
  if (ref === null) return 'I cannot tell which page or post you mean. Please name it.';
  const first = yield* callOne(toolName, { ref, ...input });
  if (first.outcome.kind !== 'done') scene.last = ref;
  if (first.outcome.kind !== 'failed' || !NAME_PROBLEM.test(first.outcome.error)) return first;

  const all = yield* listEntries();
  const wanted = normalized(ref);
  // For "the Api page" only "Api" is searched at first, but the whole phrase may be the title.
  const titles = [wanted, `${wanted} page`, `${wanted} post`];
  const exact = all.filter(({ title }) => titles.includes(normalized(title)));
  const partly = all.filter(({ title, slug }) => wanted !== '' && hasWords(`${title} ${slug}`, wanted.split(' ')));
  const choices = exact.length > 0 ? exact : partly;
  const [match, another] = choices;
  if (match === undefined) return `There is no page or post called "${ref}".`;
  if (another === undefined && (exact.length > 0 || !isWrite(toolName))) {
    return yield* callOne(toolName, { ref: match.id, ...input });
  }
  const labels = choices.map(({ title, type, slug }) => `${title} (${type}, slug ${slug})`);
  const question = another === undefined ? `Did you mean ${labels[0]}?` : `Which one do you mean by "${ref}"?`;
  const chosen = choices[yield* ask(question, labels)];
  return chosen ? yield* callOne(toolName, { ref: chosen.id, ...input }) : question;
}

/** Asks the user to choose among the first few options; returns the index of the chosen one, -1 for none. */
function* ask(question: string, options: readonly string[]): Work<number> {
  const { outcome } = yield* callOne('ask_user', { question, options: options.slice(0, 8) });
  return outcome.kind === 'done' ? options.indexOf(textOf(objectOf(outcome.value).answer)) : -1;
}

/** Calls a tool on a page or post; returns the outcome as text. */
function* actOnEntry(scene: Scene, name: string, toolName: string, input: JsonObject = {}): Work {
  const made = yield* callOnEntry(scene, name, toolName, input);
  return typeof made === 'string' ? made : replyOf(made);
}

function* listEntries(): Work<Record<'id' | 'type' | 'title' | 'slug', string>[]> {
  const made = yield ['page', 'post'].map((type) => ({ toolName: 'list_content', input: { type, limit: 100 } }));
  return made.flatMap(({ input, outcome }) => {
    const items = outcome.kind === 'done' ? listOf(objectOf(outcome.value).items) : [];
    return items.map(objectOf).map(({ id, title, slug }) => ({
      id: textOf(id),
      type: textOf(input.type),
      title: textOf(title),
      slug: textOf(slug),
    }));
  });
}

/** Example sentences, for "help" and for requests that were not understood. */
export const ABILITIES = [
  'I am the basic assistant: no language model, but I understand requests like these:',
  '- create a page called "Pricing" about our plans',
  '- add a faq section to Pricing with the question "Is it free?" and the answer "Yes."',
  '- change the heading on Home to "Welcome"',
  '- publish, unpublish, delete or show a page; list the pages; find posts about bread; undo that',
  '- what have we done so far?; what did I ask first?',
  '- always ... or never ..., as a standing instruction; "on this site, never ..." for every conversation',
  '',
  'Join several with "and", "then" or new lines, and put texts in quotation marks.',
].join('\n');

/** The sections that can be added and changed, by their type. */
const SECTIONS = new Map(
  Object.entries<SectionDefinition>(sectionDefinitions).flatMap(([type, { spoken }]) =>
    spoken === undefined ? [] : [[type, spoken] as const],
  ),
);
const TYPE = [...SECTIONS.keys()].join('|');
const LABEL = [...new Set([...SECTIONS.values()].flatMap(({ labels }) => Object.keys(labels)))].join('|');
const ORDINAL = `${ORDINALS.join('|')}|last`;
const CHANGE = '(?:change|set|update)';
const LIST_VERBS = '(?:list|show(?: me)?|what are|which)';
const OF = '(?:on|of|in|for)';

/** A clause that matched a pattern, with access to the pattern's groups. */
interface Asked {
  readonly scene: Scene;
  readonly quotes: Clause['quotes'];
  /** The page or post that the group `ref` names. */
  readonly ref: string;
  /**
   * These read a group, empty if it did not match: exactly as written without quotation marks, in lower case, with
   * masked quotes.
   */
  readonly value: (group: string) => string;
  readonly word: (group: string) => string;
  readonly piece: (group: string) => string;
}

type Handle = (asked: Asked) => Work;

/** The first matching pattern decides, so narrow patterns come before wide ones. */
const requests: readonly (readonly [RegExp, Handle])[] = [
  request('hello|hi|hey|good (?:morning|afternoon|evening)|thanks|thank you', () =>
    say('Hello! Tell me what to change on the site, or say "help" to see what I understand.'),
  ),
  request('help|what can (?:you|i) (?:do|ask|say)', () => say(ABILITIES)),
  request('what did i ask(?: you| for| to do)* first|what was my first (?:request|message)', ({ scene }) =>
    say(firstRequest(scene.conversation)),
  ),
  request('what have (?:we|you) done(?: so far)?|what did (?:we|you) do(?: so far)?|recap', ({ scene }) =>
    say(doneSoFar(scene.conversation)),
  ),
  request(`${LIST_VERBS} (?:my|our|the) (?:standing )?(?:instructions|rules)`, ({ scene }) =>
    say(standingInstructions(scene.conversation)),
  ),
  request(
    `${LIST_VERBS}(?: all)?(?: the| my| our)? ?(?<what>(?:pages|posts)(?: and (?:the )?(?:pages|posts))?)(?: do we have| are there)?`,
    function* ({ word }) {
      const types = ['page', 'post'].filter((type) => word('what').includes(type));
      const made = yield types.map((type) => ({ toolName: 'list_content', input: { type } }));
      return made.map(replyOf).join('\n');
    },
  ),
  request(
    '(?:find|search|search for|look for)(?: (?:the |all )?(?<type>page|post)s)?(?: (?:about|for|on|with))? (?<query>.+)',
    ({ value, word }) =>
      call('search_content', { query: value('query'), ...(word('type') !== '' && { type: word('type') }) }),
  ),
  request(
    `(?:add|insert|put|create) (?:a |an |another |the )?(?:new )?(?<type>${TYPE})(?: section)?(?: (?:to|on|in) (?<ref>.+?))?(?:,? (?:with|saying|that says):? (?<content>.+))?`,
    ({ scene, ref, word, piece, quotes }) => {
      const type = word('type');
      return actOnEntry(scene, ref, 'add_section', { type, fields: readFields(type, piece('content'), quotes) });
    },
  ),
  request(
    '(?:create|make|add|write) (?:me )?(?:a |an |another |the )?(?:new )?(?<title>.{0,200}?)(?:blog )?(?<type>page|post)\\b(?<rest>.*)',
    create,
  ),
  request(`${CHANGE} (?:the )?(?<detail>title|slug) ${OF} (?<ref>.+?) to (?<value>.+)`, ({ scene, ref, word, value }) =>
    actOnEntry(scene, ref, 'update_content', { [word('detail')]: value('value') }),
  ),
  request(
    `${CHANGE} (?:the )?(?<label>${LABEL}) ${OF} the (?:(?<ordinal>${ORDINAL}) )?(?<type>${TYPE})(?: section)?(?: ${OF} (?<ref>.+?))? to (?<value>.+)`,
    changeSection,
  ),
  request(
    `${CHANGE} (?:the )?(?:(?<type>${TYPE}) (?:section )?)?(?<label>${LABEL})(?: ${OF} (?<ref>.+?))? to (?<value>.+)`,
    changeSection,
  ),
  request('undo(?: (?:that|it|this|(?:the |my )?last change))?', () => call('undo', {})),
  request('(?<verb>publish|unpublish) (?<ref>.+)', ({ scene, ref, word }) =>
    actOnEntry(scene, ref, `${word('verb')}_content`),
  ),
  request('(?:delete|remove|trash) (?<ref>.+)', ({ scene, ref }) => actOnEntry(scene, ref, 'delete_content')),
  request('(?:show(?: me)?|open|read|look at) (?<ref>.+)', ({ scene, ref }) => actOnEntry(scene, ref, 'get_content')),
];

/** Longer clauses are not read: the reply asks the user to put such a text in quotation marks. */
const MAX_CLAUSE_LENGTH = 20_000;

/** The work that answers one request of a message; null if it is not understood. */
export function workFor(clause: Clause, scene: Scene): Work | null {
  const { text, quotes } = clause;
  const written = valueOf(text, quotes);
  if (isStanding(text)) {
    const rule = siteRule(clause);
    if (rule !== null) return call('remember_instruction', { kind: 'rule', text: rule });
    return keepInMind(written, scene);
  }
  for (const [pattern, handle] of text.length > MAX_CLAUSE_LENGTH ? [] : requests) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const { groups = {} } = match;
    return handle({
      scene,
      quotes,
      ref: nameOf(groups.ref, quotes),
      value: (group) => valueOf(groups[group], quotes),
      word: (group) => groups[group]?.toLowerCase() ?? '',
      piece: (group) => groups[group] ?? '',
    });
  }
  return null;
}

/** Text that is only in messages is compacted in a long conversation; preferences are part of every summary. */
function* keepInMind(quote: string, scene: Scene): Work {
  if (scene.isOffered('keep_in_mind')) yield [{ toolName: 'keep_in_mind', input: { quote } }];
  return `Noted as a standing instruction: ${quote}. I keep it and can repeat it; I cannot restyle texts.`;
}

function request(source: string, handle: Handle): readonly [RegExp, Handle] {
  return [new RegExp(`^(?:${source})$`, 'is'), handle];
}

// A generator like the others, so that replies and actions run in the same way.
// oxlint-disable-next-line require-yield
function* say(text: string): Work {
  return text;
}

function* call(toolName: string, input: JsonObject): Work {
  return replyOf(yield* callOne(toolName, input));
}

/** Start of an option of a new page or post; in lower case, because "All About Bread" is a title. */
const OPTION = / (?:(?<about>about)|saying|(?:and|with)(?: the| a)? (?<option>text|slug)) /g;

/** Creates a page (a hero with its title, then the text) or a post (the text). */
function* create({ scene, quotes, word, piece }: Asked): Work {
  const type = word('type');
  const rest = ` ${piece('title')}${piece('rest')}`;
  const found = [...`${rest} `.matchAll(OPTION)];
  const values: Record<string, string> = {};
  for (const [index, match] of found.entries()) {
    const value = rest.slice(match.index + match[0].length, found[index + 1]?.index).replace(/,$/, '');
    values[match.groups?.about ?? match.groups?.option ?? 'text'] ??= valueOf(value, quotes);
  }
  const { about, text, slug } = values;
  const name = rest.slice(0, found[0]?.index).replace(/^[ ,]*(?:called|named|titled) /i, '');
  const title = valueOf(name, quotes) || sentence(about ?? '').slice(0, -1);
  if (title === '') return 'Please give it a title: create a page called "Pricing".';
  const line = about === undefined ? undefined : sentence(about);
  const hero = { type: 'hero', fields: { heading: title, ...(line !== undefined && { subheading: line }) } };
  const made = yield* callOne('create_content', {
    type,
    title,
    ...(line !== undefined && { excerpt: line }),
    ...(slug !== undefined && { slug }),
    sections: [
      ...(type === 'page' ? [hero] : []),
      ...(text === undefined ? [] : [{ type: 'text', fields: { body: text } }]),
    ],
  });
  if (made.outcome.kind === 'lost') scene.last = title;
  return replyOf(made);
}

const LABELLED = new RegExp(`(?<label>${LABEL}):? (?<value>${QUOTED})`, 'gi');

/** Parses `heading "A" and the text "B"`; without a label before a quoted text, everything is the main field. */
function readFields(type: string, content: string, quotes: Clause['quotes']): JsonObject {
  const { labels: known = {}, main } = SECTIONS.get(type) ?? {};
  const fields: JsonObject = {};
  const items: JsonObject[] = [];
  for (const { groups } of content.matchAll(LABELLED)) {
    const field = known[(groups?.label ?? '').toLowerCase()];
    if (field === undefined) continue;
    const value = valueOf(groups?.value, quotes);
    const key = field.replace('items.', '');
    const item = items.at(-1);
    if (key === field) fields[key] = value;
    else if (item === undefined || key in item) items.push({ [key]: value });
    else item[key] = value;
  }
  if (items.length > 0) fields.items = items;
  if (Object.keys(fields).length > 0 || main === undefined || content === '') return fields;
  return { [main]: valueOf(content.replace(/^(?:the |a )?(?:text|heading|quote|image) /i, ''), quotes) };
}

/** Changes one field of a section; if several sections have the field, asks which one. */
function* changeSection({ scene, ref, word, value }: Asked): Work {
  if (scene.nextWriteIsLost()) return yield* call('update_section', {});
  const read = yield* callOnEntry(scene, ref, 'get_content');
  if (typeof read === 'string') return read;
  if (read.outcome.kind !== 'done') return replyOf(read);
  const page = objectOf(read.outcome.value);
  if (!Array.isArray(page.sections)) return 'I could not read that page: its content did not reach me whole.';

  const [label, type, ordinal] = [word('label'), word('type'), word('ordinal')];
  const sections = listOf(page.sections).map(objectOf);
  const able = sections.filter((section) => fieldOf(section, label) !== undefined);
  // "The text" of a page is that of its text section, even if other sections have a field with this label.
  const namesakes = able.filter((section) => section.type === (type || label));
  const fitting = type === '' && namesakes.length === 0 ? able : namesakes;
  const chosenId = type === '' && ordinal === '' ? scene.conversation.open.chosen?.sectionId : undefined;
  const chosen = able.find(({ id }) => id === chosenId);
  let section = chosen ?? fitting.at(ordinal === '' ? 0 : ORDINALS.indexOf(ordinal));
  if (section === undefined) {
    const types = sections.map((each) => textOf(each.type)).join(', ');
    return `"${textOf(page.title)}" has no such section (${type || label}). Its sections: ${types || 'none'}.`;
  }
  if (!chosen && fitting.length > 1 && ordinal === '') {
    const question = `Which ${label} of "${textOf(page.title)}" do you mean?`;
    section = fitting[yield* ask(question, apart(fitting.map(sectionLine)))];
    if (section === undefined) return question;
  }
  const fields = { [fieldOf(section, label) ?? label]: value('value') };
  return yield* call('update_section', { sectionId: textOf(section.id), fields });
}

/** Texts to choose from; equal ones are distinguished by their position. */
function apart(texts: readonly string[]): string[] {
  return texts.map((text, index) => (texts.indexOf(text) === texts.lastIndexOf(text) ? text : `${text} (number ${index + 1})`)); // oxfmt-ignore
}

/** The field of a section that a label denotes; undefined if it has none, or only in items of a list. */
function fieldOf(section: JsonObject, label: string): string | undefined {
  const field = SECTIONS.get(textOf(section.type))?.labels[label];
  return field?.includes('.') ? undefined : field;
}
