import { number } from '#components/format.ts';
import { inYourLanguage } from '#components/in-your-language.ts';
import { sectionTypeName, withArticle } from '#server/core/site/field-names';

/** `order`: a proposed call. `running`: a running or failed call. `done`: a finished call. */
export type Tense = 'order' | 'running' | 'done';
/** A title in each tense. */
export type Titled = (tense: Tense) => string;
/** Null: not known yet, or not requested. */
type Known = string | null;
type Amount = number | null;

/** A verb in each tense. */
type Verb = Readonly<Record<Tense, string>>;

const irregular = (order: string, running: string, done: string): Verb => ({ order, running, done });
const verb = (stem: string, silentE = ''): Verb => irregular(`${stem}${silentE}`, `${stem}ing`, `${stem}ed`);
const add = verb('Add');
const change = verb('Chang', 'e');
const look = verb('Look');
const move = verb('Mov', 'e');
const remove = verb('Remov', 'e');
const replace = verb('Replac', 'e');
const search = verb('Search');
const read = irregular('Read', 'Reading', 'Read');
const keep = irregular('Keep', 'Keeping', 'Kept');

const say =
  (of: Verb, rest: string): Titled =>
  (tense) =>
    `${of[tense]} ${rest}`;
/** With other text after the verb once the call is done. */
const sayOnceDone =
  (of: Verb, rest: string, whenDone: string): Titled =>
  (tense) =>
    `${of[tense]} ${tense === 'done' ? whenDone : rest}`;

const counted = (size: Amount, one: string, many = `${one}s`) =>
  size === null ? null : `${number.format(size)} ${size === 1 ? one : many}`;
const after = (size: string | null) => (size === null ? '' : `: ${size}`);
const about = (query: Known) => (query === null ? '' : ` for “${query}”`);

/** Titles of the calls of the built-in tools. A subject is the title of an entry, or the name of a picture. */
export const toolTitleStrings = inYourLanguage('toolTitleStrings', {
  list_content: (type: string, total: Amount) => say(verb('List'), counted(total, type) ?? `${type}s`),
  get_content: (subject: Known, several: Amount) =>
    say(read, counted(several, 'entry', 'entries') ?? subject ?? 'an entry'),
  search_content: (type: Known, query: Known, hits: Amount) =>
    say(search, `${type === null ? 'the site' : `${type}s`}${about(query)}${after(counted(hits, 'match', 'matches'))}`),
  read_messages: (total: Amount, query: Known) =>
    say(read, `${counted(total, 'message') ?? 'messages'} of visitors${about(query)}`),
  create_content: (type: string, subject: Known) =>
    sayOnceDone(
      verb('Creat', 'e'),
      `${withArticle(type)} called ${subject ?? '…'}`,
      `the ${type}${subject === null ? '' : ` ${subject}`}`,
    ),
  update_content: (fields: string, subject: Known) => say(change, `${fields || 'details'} of ${subject ?? 'an entry'}`),
  delete_content: (subject: Known) => say(verb('Delet', 'e'), subject ?? 'an entry'),
  publish_content: (subject: Known) => say(verb('Publish'), subject ?? 'an entry'),
  planned: (subject: Known) => say(change, `when ${subject ?? 'an entry'} is published`),
  unpublish_content: (subject: Known) => say(verb('Unpublish'), subject ?? 'an entry'),
  add_section: (type: Known, subject: Known) =>
    say(
      add,
      `${withArticle(type === null ? 'section' : `${sectionTypeName(type)} section`)} to ${subject ?? 'a page'}`,
    ),
  update_section: (fields: string, subject: Known) =>
    sayOnceDone(change, fields || 'a section', `${fields || 'a section'} on ${subject ?? 'a page'}`),
  look_for_text: (find: string, places: Amount) =>
    say(look, `where “${find}” stands${after(counted(places, 'place'))}`),
  edit_text: (find: string, by: string, places: Amount, drafts: Amount) => {
    const where = places === null ? [] : [counted(places, 'place'), counted(drafts, 'draft')].filter(Boolean);
    return say(replace, `“${find}” with “${by}”${where.length === 0 ? '' : ` in ${where.join(', ')}`}`);
  },
  edit_items: (op: string, item: Known) =>
    say(
      op === 'add' ? add : op === 'move' ? move : op === 'remove' ? remove : change,
      item === null ? 'an item of a list' : `the item ${item}`,
    ),
  move_section: (subject: Known, place: Amount) =>
    sayOnceDone(
      move,
      'a section',
      `a section of ${subject ?? 'a page'}${place === null ? '' : ` to place ${number.format(place)}`}`,
    ),
  remove_section: (subject: Known) => sayOnceDone(remove, 'a section', `a section from ${subject ?? 'a page'}`),
  describe_sections: () => say(look, 'up section types'),
  get_navigation: () => say(read, 'the menu'),
  set_navigation: (items: Amount) => say(change, `the menu${after(counted(items, 'item'))}`),
  get_settings: () => say(read, 'the site settings'),
  set_settings: (fields: string) => say(change, `${fields || 'settings'} of the site`),
  list_media: (query: Known, total: Amount) =>
    sayOnceDone(
      look,
      `through the pictures${about(query)}`,
      `through the pictures: ${counted(total, 'picture') ?? 'none'}`,
    ),
  add_media: (name: Known) => say(add, `the picture ${name ?? 'a picture'}`),
  replace_media: (name: Known) =>
    sayOnceDone(replace, `a picture by ${name ?? 'a picture'}`, `the picture ${name ?? 'a picture'}`),
  update_media: (fields: string, name: Known) => say(change, `${fields || 'details'} of ${name ?? 'a picture'}`),
  look_at_picture: (name: Known) => say(look, `at ${name ?? 'a picture'}`),
  remember_instruction: (text: string) => say(keep, `as a standing instruction of this site: “${text}”`),
  keep_in_mind: (quote: string) => say(keep, `in mind: “${quote}”`),
  let_go: () => say(irregular('Let', 'Letting', 'Let'), 'go of a wish'),
  list_revisions: (changes: Amount) => say(look, `up ${counted(changes, 'change') ?? 'changes'}`),
  undo: () => say(irregular('Undo', 'Undoing', 'Undid'), 'a change'),
  find_tools: (query: Known, found: Amount) => say(look, `for tools${about(query)}${after(counted(found, 'tool'))}`),
  load_tools: (names: string) => say(verb('Load'), names || 'tools'),
  search_history: (query: Known, hits: Amount) =>
    say(search, `this conversation${about(query)}${after(counted(hits, 'match', 'matches'))}`),
  read_on: () => say(read, 'on in this conversation'),
  recall_output: () => say(verb('Recall'), 'an earlier result'),
  ask_user: () => say(verb('Ask'), 'you'),
});
