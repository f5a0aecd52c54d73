import { field, textField, type ToolCall } from '#components/chat/parts/tool-call.ts';
import { translator } from '#components/i18n.ts';
import { type Messages, currentLanguage } from '#components/language.ts';
import { fieldInWords, localizedText, sectionInWords } from '#components/message-text.ts';
import { shortTitle } from '#server/core/text/short-text';

const t = translator('toolTitles');
const tTools = translator('settings.tools');

/**
 * Separates the name of a tool server from that of its tool. Same value as in server/core/conversation/tool-result,
 * which would load zod.
 */
const TOOL_NAME_SEPARATOR = '__';

type TitleMessage = keyof Messages['toolTitles'];
/** Values of a title. Null: not known yet, or not requested; messages choose by `has` and the name of the value. */
type Values = Readonly<Record<string, string | number | null>>;

/** The title of a tool's calls: a line, or the values of the message named like the tool, or of another one. */
type Title = (call: ToolCall, isDone: boolean) => string | Values | readonly [TitleMessage, Values];

/** The titles of the tools, from the known facts about a call. A subject is the title of an entry. */
const titles: Readonly<Partial<Record<TitleMessage, Title>>> = {
  list_content: (call, isDone) => ({
    type: textField(call.input, 'type') ?? 'page',
    count: isDone ? size(call.output, 'total') : null,
  }),
  get_content: (call) => {
    const several = field(call.input, 'refs');
    return { subject: subject(call), count: Array.isArray(several) ? several.length : null };
  },
  search_content: (call, isDone) => {
    const hits = size(call.output, 'places') ?? size(call.output, 'total') ?? size(call.output, 'hits');
    return { type: textField(call.input, 'type') ?? null, query: query(call), count: isDone ? hits : null };
  },
  read_messages: (call, isDone) => ({ count: isDone ? size(call.output, 'total') : null, query: query(call) }),
  create_content: (call) => ({
    type: textField(call.output, 'type') ?? textField(call.input, 'type') ?? 'page',
    subject: subject(call),
  }),
  update_content: (call) => ({ fields: changedFields(call), subject: subject(call) }),
  delete_content: (call) => ({ subject: subject(call) }),
  publish_content: (call) => {
    const values = { subject: subject(call) };
    return textField(call.input, 'at') === undefined ? values : ['publicationTime', values];
  },
  unpublish_content: (call) => ({ subject: subject(call) }),
  add_section: (call) => {
    const type = textField(call.output, 'sectionType') ?? textField(call.input, 'type') ?? null;
    return { type, section: type === null ? null : sectionInWords(type), subject: subject(call) };
  },
  update_section: (call) => {
    const written = field(call.output, 'fields');
    const fields = Array.isArray(written) ? written : Object.keys(Object(field(call.input, 'fields')) as object);
    return { fields: inWordsAll(fields.filter((name) => typeof name === 'string')), subject: subject(call) };
  },
  edit_text: (call, isDone) => {
    const find = shortTitle(textField(call.input, 'find') ?? '…');
    if (field(call.input, 'dryRun') === true)
      return ['findText', { find, count: isDone ? size(call.output, 'places') : null }];
    return {
      find,
      by: shortTitle(textField(call.input, 'replace') ?? ''),
      count: isDone ? size(call.output, 'replaced') : null,
      drafts: size(call.output, 'entries'),
    };
  },
  edit_items: (call) => {
    const item = textField(call.input, 'item');
    return { op: textField(call.input, 'op') ?? '', item: item ? shortTitle(item) : null };
  },
  move_section: (call) => {
    const position = field(call.output, 'position');
    return { subject: subject(call), position: typeof position === 'number' ? position : null };
  },
  remove_section: (call) => ({ subject: subject(call) }),
  describe_sections: () => ({}),
  get_navigation: () => ({}),
  set_navigation: (call, isDone) => ({
    count: isDone ? (size(call.output, 'items') ?? size(call.input, 'items')) : null,
  }),
  get_settings: () => ({}),
  set_settings: (call) => ({ fields: changedFields(call) }),
  get_design: () => ({}),
  set_design: () => ({}),
  list_media: (call) => ({ query: query(call), count: size(call.output, 'total') }),
  add_media: (call) => {
    const values = { name: pictureName(call) };
    return textField(call.input, 'replaces') ? ['replacePicture', values] : values;
  },
  update_media: (call) => ({ fields: changedFields(call), name: pictureName(call) }),
  look_at_picture: (call) => ({
    name: textField(call.output, 'picture') ?? textField(call.input, 'picture') ?? null,
  }),
  remember_instruction: (call) => {
    const text = [textField(call.input, 'text') ?? '', textField(call.input, 'meaning')].filter(Boolean).join(': ');
    return { text: shortTitle(text) };
  },
  keep_in_mind: (call) => {
    const quote = textField(call.input, 'quote');
    return quote === undefined ? ['forgetPreference', {}] : { quote: shortTitle(quote) };
  },
  list_revisions: (call, isDone) => ({ count: isDone ? size(call.output, 'changes') : null }),
  undo: () => ({}),
  find_tools: (call, isDone) => ({ query: query(call), count: isDone ? size(call.output, 'tools') : null }),
  load_tools: (call, isDone) => {
    const names = isDone ? field(call.output, 'loaded') : field(call.input, 'names');
    const known = Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
    return { names: shortTitle(known.map(toolName).join(', ')) };
  },
  search_history: (call, isDone) =>
    field(call.input, 'from') === undefined
      ? { query: query(call), count: isDone ? size(call.output, 'hits') : null }
      : ['readOn', {}],
  recall_output: () => ({}),
  ask_user: (call, isDone) => {
    const question = isDone ? textField(call.input, 'question') : undefined;
    return question === undefined ? {} : shortTitle(question);
  },
};

/** The title of the entry that a call is about, once known; until then the title in the model's input. */
function subject(call: ToolCall): string | null {
  const found = textField(call.output, 'title', 'filename') ?? call.effect?.targets[0]?.title;
  const known = found ?? textField(call.input, 'title', 'ref');
  return known === undefined ? null : shortTitle(known);
}

function pictureName(call: ToolCall): string | null {
  const known = textField(call.output, 'filename') ?? textField(call.input, 'file', 'ref');
  return known === undefined ? null : shortTitle(known);
}

/** Names of the input fields of a details or settings change, without the reference. */
function changedFields(call: ToolCall): string {
  return inWordsAll(Object.keys(Object(call.input) as object).filter((name) => name !== 'ref'));
}

function inWordsAll(fields: readonly string[]): string {
  return shortTitle(fields.map((name) => fieldInWords(name)).join(', '));
}

/**
 * The summary of what a finished call changed, for tools whose input says too little. Older results have it only as the
 * English text that the model reads.
 */
function summaryOf({ name, input, output, summary }: ToolCall): string | null {
  const isSummarized =
    name === 'edit_items' || name === 'undo' || (name === 'set_navigation' && field(input, 'op') !== undefined);
  const text = isSummarized ? textField(output, 'did', 'summary') : undefined;
  if (text === undefined || (summary === null && currentLanguage().code !== 'en')) return null;
  return shortTitle(localizedText(summary, text));
}

/** A number in a result, or the length of a list in it. */
function size(value: unknown, name: string): number | null {
  const found = field(value, name);
  return typeof found === 'number' ? found : Array.isArray(found) ? found.length : null;
}

function query(call: ToolCall): string | null {
  const text = textField(call.input, 'query');
  return text ? shortTitle(text) : null;
}

/** Display name of a tool; an external tool gets its server's name: `Everything: get-sum`. */
export function toolName(name: string): string {
  const ours = tTools.find(`names.${name}`);
  if (ours !== undefined) return ours;
  const [server = '', ...rest] = name.split(TOOL_NAME_SEPARATOR);
  return rest.length === 0 ? inWords(name) : `${inWords(server)}: ${rest.join(TOOL_NAME_SEPARATOR)}`;
}

function inWords(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** One line that says what a tool call does, did, tried to do, or would do if the user allowed it. */
export function toolTitle(call: ToolCall): string {
  const { name, state } = call;
  const isDone = state === 'done';
  const summary = isDone ? summaryOf(call) : null;
  if (summary !== null) return summary;
  const title = titleOf(name)?.(call, isDone);
  if (title === undefined) return toolName(name);
  if (typeof title === 'string') return title;
  const [message, values] = isNamed(title) ? title : [name as TitleMessage, title];
  const tense = isDone ? 'done' : state === 'running' || state === 'error' ? 'running' : 'order';
  const known = Object.entries(values).flatMap(([key, value]) => [
    [key, value ?? ''],
    [`has${key.charAt(0).toUpperCase()}${key.slice(1)}`, String(value !== null && value !== '')],
  ]);
  return t(message, { tense, ...(Object.fromEntries(known) as Record<string, string>) });
}

function titleOf(name: string): Title | undefined {
  return Object.hasOwn(titles, name) ? titles[name as TitleMessage] : undefined;
}

function isNamed(title: Values | readonly [TitleMessage, Values]): title is readonly [TitleMessage, Values] {
  return Array.isArray(title);
}
