import { field, textField, type ToolCall } from '#components/chat/parts/tool-call.ts';
import { type Titled, toolTitleStrings as say } from '#components/chat/parts/tool-words.ts';
import { spoken } from '#components/in-your-language.ts';
import { fieldInWords } from '#components/message-text.ts';
import { served } from '#components/served-words.ts';
import { shortTitle } from '#server/core/text/short-text';

/**
 * Separates the name of a tool server from that of its tool. Same value as in server/core/conversation/tool-result,
 * which would load zod.
 */
const TOOL_NAME_SEPARATOR = '__';

/** The title of a tool's calls: one for each tense, or a single line. */
type Title = (call: ToolCall, isDone: boolean) => Titled | string;

/** The titles of the tools, from the known facts about a call. */
const titles: Readonly<Record<string, Title>> = {
  list_content: (call, isDone) =>
    say.list_content(textField(call.input, 'type') ?? 'page', isDone ? size(call.output, 'total') : null),
  get_content: (call) => {
    const several = field(call.input, 'refs');
    return say.get_content(subject(call), Array.isArray(several) ? several.length : null);
  },
  search_content: (call, isDone) => {
    const hits = size(call.output, 'places') ?? size(call.output, 'total') ?? size(call.output, 'hits');
    return say.search_content(textField(call.input, 'type') ?? null, query(call), isDone ? hits : null);
  },
  read_messages: (call, isDone) => say.read_messages(isDone ? size(call.output, 'total') : null, query(call)),
  create_content: (call) =>
    say.create_content(textField(call.output, 'type') ?? textField(call.input, 'type') ?? 'page', subject(call)),
  update_content: (call) => say.update_content(changedFields(call), subject(call)),
  delete_content: (call) => say.delete_content(subject(call)),
  publish_content: (call) =>
    textField(call.input, 'at') === undefined ? say.publish_content(subject(call)) : say.planned(subject(call)),
  unpublish_content: (call) => say.unpublish_content(subject(call)),
  add_section: (call) =>
    say.add_section(textField(call.output, 'sectionType') ?? textField(call.input, 'type') ?? null, subject(call)),
  update_section: (call) => {
    const written = field(call.output, 'fields');
    const fields = Array.isArray(written) ? written : Object.keys(Object(field(call.input, 'fields')) as object);
    return say.update_section(inWordsAll(fields.filter((name) => typeof name === 'string')), subject(call));
  },
  edit_text: (call, isDone) => {
    const find = shortTitle(textField(call.input, 'find') ?? '…');
    if (field(call.input, 'dryRun') === true)
      return say.look_for_text(find, isDone ? size(call.output, 'places') : null);
    const by = shortTitle(textField(call.input, 'replace') ?? '');
    return say.edit_text(find, by, isDone ? size(call.output, 'replaced') : null, size(call.output, 'entries'));
  },
  edit_items: (call, isDone) => {
    const summary = isDone ? englishField(call.output, 'did') : undefined;
    if (summary !== undefined) return shortTitle(summary);
    const item = textField(call.input, 'item');
    return say.edit_items(textField(call.input, 'op') ?? '', item ? shortTitle(item) : null);
  },
  move_section: (call) => {
    const place = field(call.output, 'position');
    return say.move_section(subject(call), typeof place === 'number' ? place : null);
  },
  remove_section: (call) => say.remove_section(subject(call)),
  describe_sections: () => say.describe_sections(),
  get_navigation: () => say.get_navigation(),
  set_navigation: (call, isDone) => {
    const summary = isDone && field(call.input, 'op') !== undefined ? englishField(call.output, 'summary') : undefined;
    if (summary !== undefined) return shortTitle(summary);
    return say.set_navigation(isDone ? (size(call.output, 'items') ?? size(call.input, 'items')) : null);
  },
  get_settings: () => say.get_settings(),
  set_settings: (call) => say.set_settings(changedFields(call)),
  list_media: (call) => say.list_media(query(call), size(call.output, 'total')),
  add_media: (call) =>
    textField(call.input, 'replaces') ? say.replace_media(pictureName(call)) : say.add_media(pictureName(call)),
  update_media: (call) => say.update_media(changedFields(call), pictureName(call)),
  look_at_picture: (call) =>
    say.look_at_picture(textField(call.output, 'picture') ?? textField(call.input, 'picture') ?? null),
  remember_instruction: (call) => {
    const text = [textField(call.input, 'text') ?? '', textField(call.input, 'meaning')].filter(Boolean).join(': ');
    return say.remember_instruction(shortTitle(text));
  },
  keep_in_mind: (call) => {
    const quote = textField(call.input, 'quote');
    return quote === undefined ? say.let_go() : say.keep_in_mind(shortTitle(quote));
  },
  list_revisions: (call, isDone) => say.list_revisions(isDone ? size(call.output, 'changes') : null),
  undo: (call, isDone) => {
    const summary = isDone ? englishField(call.output, 'summary') : undefined;
    return summary === undefined ? say.undo() : shortTitle(summary);
  },
  find_tools: (call, isDone) => say.find_tools(query(call), isDone ? size(call.output, 'tools') : null),
  load_tools: (call, isDone) => {
    const names = isDone ? field(call.output, 'loaded') : field(call.input, 'names');
    const known = Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
    return say.load_tools(shortTitle(known.map(toolName).join(', ')));
  },
  search_history: (call, isDone) =>
    field(call.input, 'from') === undefined
      ? say.search_history(query(call), isDone ? size(call.output, 'hits') : null)
      : say.read_on(),
  recall_output: () => say.recall_output(),
  ask_user: (call, isDone) => {
    const question = isDone ? textField(call.input, 'question') : undefined;
    return question === undefined ? say.ask_user() : shortTitle(question);
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

/** A sentence in a result, which models read in English; undefined in other languages. */
function englishField(value: unknown, name: string): string | undefined {
  return spoken().code === 'en' ? textField(value, name) : undefined;
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
  const ours = served()?.tools[name]?.name;
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
  const title = titles[call.name]?.(call, call.state === 'done');
  if (title === undefined) return toolName(call.name);
  if (typeof title === 'string') return title;
  return title(
    call.state === 'done' ? 'done' : call.state === 'running' || call.state === 'error' ? 'running' : 'order',
  );
}
