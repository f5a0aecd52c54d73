import { field, textField, type ToolCall } from '#components/chat/session/message-blocks';
import { number } from '#components/figures';
import { fieldName, sectionName, shortTitle } from '#server/core/change-words';
import { withArticle } from '#server/core/visible-text';

/** Separates the name of a tool server from that of its tool. Same value as in server/core/tool-result, which brings zod. */
const TOOL_NAME_SEPARATOR = '__';

/** A verb as an order, while the tool runs, and once it is done. */
type Verb = readonly [order: string, running: string, done: string];

const verb = (stem: string, silentE = ''): Verb => [`${stem}${silentE}`, `${stem}ing`, `${stem}ed`];
const add = verb('Add');
const change = verb('Chang', 'e');
const look = verb('Look');
const list = verb('List');
const remove = verb('Remov', 'e');
const replace = verb('Replac', 'e');
const read: Verb = ['Read', 'Reading', 'Read'];

/** The title of one tool's calls: a verb and what follows it. */
type Title = (call: ToolCall, isDone: boolean) => readonly [verb: Verb, rest: string];

const onEntry =
  (of: Verb): Title =>
  (call) => [of, subject(call, 'an entry')];
const always =
  (of: Verb, rest: string): Title =>
  () => [of, rest];

/** The titles of the tools. An empty verb leaves the rest to speak for itself. */
const titles: Readonly<Record<string, Title>> = {
  list_content: (call, isDone) => {
    const type = textField(call.input, 'type') ?? 'page';
    return [list, (isDone && count(field(call.output, 'total'), type)) || `${type}s`];
  },
  get_content: (call) => {
    const several = field(call.input, 'refs');
    return [read, (Array.isArray(several) && count(several, 'entry', 'entries')) || subject(call, 'an entry')];
  },
  search_content: (call, isDone) => {
    const type = textField(call.input, 'type');
    const found = field(call.output, 'places') ?? field(call.output, 'total') ?? field(call.output, 'hits');
    const hits = isDone && count(found, 'match', 'matches');
    return [verb('Search'), `${type ? `${type}s` : 'the site'}${quotedQuery(call)}${hits ? `: ${hits}` : ''}`];
  },
  read_messages: (call, isDone) => [
    read,
    `${(isDone && count(field(call.output, 'total'), 'message')) || 'messages'} of visitors${quotedQuery(call)}`,
  ],
  create_content: (call, isDone) => {
    const type = textField(call.output, 'type') ?? textField(call.input, 'type') ?? 'page';
    return [
      verb('Creat', 'e'),
      isDone ? `the ${type} ${subject(call, '')}` : `${withArticle(type)} called ${subject(call, '…')}`,
    ];
  },
  update_content: (call) => [change, `${changedFields(call) || 'details'} of ${subject(call, 'an entry')}`],
  delete_content: onEntry(verb('Delet', 'e')),
  publish_content: (call) =>
    textField(call.input, 'at') === undefined
      ? [verb('Publish'), subject(call, 'an entry')]
      : [change, `when ${subject(call, 'an entry')} is published`],
  unpublish_content: onEntry(verb('Unpublish')),
  add_section: (call) => {
    const type = textField(call.output, 'sectionType') ?? textField(call.input, 'type');
    return [add, `${withArticle(type ? `${sectionName(type)} section` : 'section')} to ${subject(call, 'a page')}`];
  },
  update_section: (call, isDone) => {
    const written = field(call.output, 'fields');
    const fields = Array.isArray(written) ? written : Object.keys(Object(field(call.input, 'fields')) as object);
    const names =
      shortTitle(fields.flatMap((name) => (typeof name === 'string' ? fieldName(name) : [])).join(', ')) || 'a section';
    return [change, isDone ? `${names} on ${subject(call, 'a page')}` : names];
  },
  edit_text: (call, isDone) => {
    const find = `“${shortTitle(textField(call.input, 'find') ?? '…')}”`;
    if (field(call.input, 'dryRun') === true) {
      const places = isDone && count(field(call.output, 'places'), 'place');
      return [look, `where ${find} stands${places ? `: ${places}` : ''}`];
    }
    const places = isDone ? count(field(call.output, 'replaced'), 'place') : null;
    const drafts = count(field(call.output, 'entries'), 'draft');
    const where = places === null ? '' : ` in ${[places, drafts].filter(Boolean).join(', ')}`;
    return [replace, `${find} with “${shortTitle(textField(call.input, 'replace') ?? '')}”${where}`];
  },
  edit_items: (call, isDone) => {
    const summary = isDone ? textField(call.output, 'did') : undefined;
    if (summary !== undefined) return [['', '', ''], shortTitle(summary)];
    const item = textField(call.input, 'item');
    const verbs: Readonly<Record<string, Verb>> = { add, move: verb('Mov', 'e'), remove };
    return [
      verbs[textField(call.input, 'op') ?? ''] ?? change,
      item ? `the item ${shortTitle(item)}` : 'an item of a list',
    ];
  },
  move_section: (call, isDone) => {
    const place = field(call.output, 'position');
    const to = typeof place === 'number' ? ` to place ${number.format(place)}` : '';
    return [verb('Mov', 'e'), isDone ? `a section of ${subject(call, 'a page')}${to}` : 'a section'];
  },
  remove_section: (call, isDone) => [remove, isDone ? `a section from ${subject(call, 'a page')}` : 'a section'],
  describe_sections: always(look, 'up section types'),
  get_navigation: always(read, 'the menu'),
  set_navigation: (call, isDone) => {
    const summary = isDone && field(call.input, 'op') !== undefined ? textField(call.output, 'summary') : undefined;
    if (summary !== undefined) return [['', '', ''], shortTitle(summary)];
    const items = isDone && count(field(call.output, 'items') ?? field(call.input, 'items'), 'item');
    return [change, `the menu${items ? `: ${items}` : ''}`];
  },
  get_settings: always(read, 'the site settings'),
  set_settings: (call) => [change, `${changedFields(call) || 'settings'} of the site`],
  list_media: (call, isDone) => [
    look,
    `through the pictures${isDone ? `: ${count(field(call.output, 'total'), 'picture') ?? 'none'}` : quotedQuery(call)}`,
  ],
  add_media: (call, isDone) => {
    if (!textField(call.input, 'replaces')) return [add, `the picture ${pictureName(call)}`];
    return [replace, isDone ? `the picture ${pictureName(call)}` : `a picture by ${pictureName(call)}`];
  },
  update_media: (call) => [change, `${changedFields(call) || 'details'} of ${pictureName(call)}`],
  look_at_picture: (call) => [
    look,
    `at ${textField(call.output, 'picture') ?? textField(call.input, 'picture') ?? 'a picture'}`,
  ],
  remember_instruction: (call) => {
    const text = [textField(call.input, 'text') ?? '', textField(call.input, 'meaning')].filter(Boolean).join(': ');
    return [['Keep', 'Keeping', 'Kept'], `as a standing instruction of this site: “${shortTitle(text)}”`];
  },
  keep_in_mind: (call) => {
    const quote = textField(call.input, 'quote');
    if (quote === undefined) return [['Let', 'Letting', 'Let'], 'go of a wish'];
    return [['Keep', 'Keeping', 'Kept'], `in mind: “${shortTitle(quote)}”`];
  },
  list_revisions: (call, isDone) => [
    look,
    `up ${(isDone && count(field(call.output, 'changes'), 'change')) || 'changes'}`,
  ],
  undo: (call, isDone) => {
    const summary = isDone ? textField(call.output, 'summary') : undefined;
    return summary === undefined ? [['Undo', 'Undoing', 'Undid'], 'a change'] : [['', '', ''], shortTitle(summary)];
  },
  find_tools: (call, isDone) => {
    const found = isDone && count(field(call.output, 'tools'), 'tool');
    return [look, `for tools${quotedQuery(call)}${found ? `: ${found}` : ''}`];
  },
  load_tools: (call, isDone) => {
    const names = isDone ? field(call.output, 'loaded') : field(call.input, 'names');
    const known = Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
    return [verb('Load'), shortTitle(known.map(toolName).join(', ')) || 'tools'];
  },
  search_history: (call, isDone) => {
    if (field(call.input, 'from') !== undefined) return [read, 'on in this conversation'];
    const hits = isDone && count(field(call.output, 'hits'), 'match', 'matches');
    return [verb('Search'), `this conversation${quotedQuery(call)}${hits ? `: ${hits}` : ''}`];
  },
  recall_output: always(verb('Recall'), 'an earlier result'),
  ask_user: (call, isDone) => {
    const question = isDone ? textField(call.input, 'question') : undefined;
    return question === undefined ? [verb('Ask'), 'you'] : [['', '', ''], shortTitle(question)];
  },
};

/** The title of the entry a call is about, once it is known; until then what the model asked for. */
function subject(call: ToolCall, fallback: string): string {
  const found = textField(call.output, 'title', 'filename') ?? call.effect?.targets[0]?.title;
  return shortTitle(found ?? textField(call.input, 'title', 'ref') ?? fallback);
}

function pictureName(call: ToolCall): string {
  return shortTitle(textField(call.output, 'filename') ?? textField(call.input, 'file', 'ref') ?? 'a picture');
}

/** Names of the input fields of a details or settings change, without the reference. */
function changedFields(call: ToolCall): string {
  const names = Object.keys(Object(call.input) as object).filter((name) => name !== 'ref');
  return shortTitle(names.map(fieldName).join(', '));
}

function count(value: unknown, one: string, many = `${one}s`): string | null {
  const size = typeof value === 'number' ? value : Array.isArray(value) ? value.length : null;
  return size === null ? null : `${number.format(size)} ${size === 1 ? one : many}`;
}

function quotedQuery(call: ToolCall): string {
  const query = textField(call.input, 'query');
  return query ? ` for “${shortTitle(query)}”` : '';
}

/** A tool's name as words; the tool of a server is `Everything: get-sum`, as the server calls it. */
export function toolName(name: string): string {
  const [server = '', ...rest] = name.split(TOOL_NAME_SEPARATOR);
  return rest.length === 0 ? inWords(name) : `${inWords(server)}: ${rest.join(TOOL_NAME_SEPARATOR)}`;
}

function inWords(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** One plain line that says what a tool call does, did, tried to do, or would do if the user allowed it. */
export function toolTitle(call: ToolCall): string {
  const title = titles[call.name];
  if (!title) return toolName(call.name);
  const isDone = call.state === 'done';
  const [[order, running, done], rest] = title(call, isDone);
  const said = isDone ? done : call.state === 'running' || call.state === 'error' ? running : order;
  return `${said} ${rest}`.trim();
}
