import { field, textField, type ToolCall } from '#components/chat/session/message-blocks';

/** Between a tool server's name and its tool's, as in server/core/tool-result: lib takes no values from there. */
const TOOL_NAME_SEPARATOR = '__';

const MAX_NAME_LENGTH = 60;

const number = new Intl.NumberFormat('en-US');

function shorten(text: string): string {
  return text.length <= MAX_NAME_LENGTH ? text : `${text.slice(0, MAX_NAME_LENGTH - 1).trimEnd()}…`;
}

/** What the call is about: the entry's title once it is known, until then what the model asked for. */
function subject(call: ToolCall, fallback: string): string {
  const found = textField(call.output, 'title', 'filename') ?? call.effect?.targets[0]?.title;
  return shorten(found ?? textField(call.input, 'title', 'ref') ?? fallback);
}

function count(value: unknown, one: string, many = `${one}s`): string | null {
  const size = typeof value === 'number' ? value : Array.isArray(value) ? value.length : null;
  return size === null ? null : `${number.format(size)} ${size === 1 ? one : many}`;
}

function entryType(call: ToolCall): string {
  return textField(call.output, 'type') ?? textField(call.input, 'type') ?? 'page';
}

function article(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

function section(call: ToolCall): string {
  const type = textField(call.output, 'sectionType') ?? textField(call.input, 'type');
  if (type === 'faq') return 'FAQ section';
  return type ? `${type.replaceAll('-', ' ')} section` : 'section';
}

/** The names of changed fields as a short list: `title, slug`. */
function fieldNames(call: ToolCall): string {
  const fields = field(call.output, 'fields');
  const names = Array.isArray(fields) ? fields : Object.keys(Object(field(call.input, 'fields')) as object);
  return shorten(names.filter((name) => typeof name === 'string').join(', '));
}

/** Input fields of a details or settings change, without the reference. */
function changedDetails(call: ToolCall): string {
  return shorten(
    Object.keys(Object(call.input) as object)
      .filter((name) => name !== 'ref')
      .map((name) =>
        name === 'seo'
          ? 'SEO'
          : name
              .replace(/([A-Z])/g, ' $1')
              .toLowerCase()
              .replace('color', 'colour'),
      )
      .join(', '),
  );
}

/** Titles of one tool: while it runs, and once it is done. */
interface Titles {
  readonly running: (call: ToolCall) => string;
  readonly done: (call: ToolCall) => string;
}

const onSubject = (running: string, done: string): Titles => ({
  running: (call) => `${running} ${subject(call, 'an entry')}`,
  done: (call) => `${done} ${subject(call, 'an entry')}`,
});

const titles: Record<string, Titles> = {
  list_content: {
    running: (call) => `Listing ${textField(call.input, 'type') ?? 'page'}s`,
    done: (call) => {
      const type = textField(call.input, 'type') ?? 'page';
      return `Listed ${count(field(call.output, 'total'), type) ?? `${type}s`}`;
    },
  },
  get_content: onSubject('Reading', 'Read'),
  search_content: {
    running: (call) => `Searching ${searchScope(call)}${quotedQuery(call)}`,
    done: (call) => {
      const hits = count(field(call.output, 'hits'), 'match', 'matches');
      return `Searched ${searchScope(call)}${quotedQuery(call)}${hits ? `: ${hits}` : ''}`;
    },
  },
  create_content: {
    running: (call) => `Creating ${article(entryType(call))} called ${subject(call, '…')}`,
    done: (call) => `Created the ${entryType(call)} ${subject(call, '')}`.trim(),
  },
  update_content: {
    running: (call) => `Changing ${changedDetails(call) || 'details'} of ${subject(call, 'an entry')}`,
    done: (call) => `Changed ${changedDetails(call) || 'details'} of ${subject(call, 'an entry')}`,
  },
  delete_content: onSubject('Deleting', 'Deleted'),
  publish_content: { running: (call) => publication(call, 'ing'), done: (call) => publication(call, 'ed') },
  unpublish_content: onSubject('Unpublishing', 'Unpublished'),
  add_section: {
    running: (call) => `Adding ${article(section(call))} to ${subject(call, 'a page')}`,
    done: (call) => `Added ${article(section(call))} to ${subject(call, 'a page')}`,
  },
  update_section: {
    running: (call) => `Changing ${fieldNames(call) || 'a section'}`,
    done: (call) => `Changed ${fieldNames(call) || 'a section'} on ${subject(call, 'a page')}`,
  },
  move_section: {
    running: () => 'Moving a section',
    done: (call) => `Moved a section of ${subject(call, 'a page')}${position(call)}`,
  },
  remove_section: {
    running: () => 'Removing a section',
    done: (call) => `Removed a section from ${subject(call, 'a page')}`,
  },
  describe_sections: { running: () => 'Looking up section types', done: () => 'Looked up section types' },
  get_navigation: { running: () => 'Reading the menu', done: () => 'Read the menu' },
  set_navigation: {
    running: () => 'Changing the menu',
    done: (call) => {
      const items = count(field(call.output, 'items') ?? field(call.input, 'items'), 'item');
      return `Changed the menu${items ? `: ${items}` : ''}`;
    },
  },
  get_settings: { running: () => 'Reading the site settings', done: () => 'Read the site settings' },
  set_settings: {
    running: (call) => `Changing ${changedDetails(call) || 'settings'} of the site`,
    done: (call) => `Changed ${changedDetails(call) || 'settings'} of the site`,
  },
  list_media: {
    running: (call) => `Looking through the pictures${quotedQuery(call)}`,
    done: (call) => `Looked through the pictures: ${count(field(call.output, 'total'), 'picture') ?? 'none'}`,
  },
  add_media: {
    running: (call) =>
      textField(call.input, 'replaces')
        ? `Replacing a picture by ${pictureName(call)}`
        : `Adding the picture ${pictureName(call)}`,
    done: (call) =>
      textField(call.input, 'replaces')
        ? `Replaced the picture ${pictureName(call)}`
        : `Added the picture ${pictureName(call)}`,
  },
  update_media: {
    running: (call) => `Changing ${changedDetails(call) || 'details'} of ${pictureName(call)}`,
    done: (call) => `Changed ${changedDetails(call) || 'details'} of ${pictureName(call)}`,
  },
  remember_instruction: {
    running: (call) => `Keeping as a standing instruction of this site: ${instructionOf(call)}`,
    done: (call) => `Kept as a standing instruction of this site: ${instructionOf(call)}`,
  },
  list_revisions: {
    running: () => 'Looking up changes',
    done: (call) => `Looked up ${count(field(call.output, 'changes'), 'change') ?? 'changes'}`,
  },
  undo: {
    running: () => 'Undoing a change',
    done: (call) => shorten(textField(call.output, 'summary') ?? 'Undid a change'),
  },
  find_tools: {
    running: (call) => `Looking for tools${quotedQuery(call)}`,
    done: (call) => {
      const found = count(field(call.output, 'tools'), 'tool');
      return `Looked for tools${quotedQuery(call)}${found ? `: ${found}` : ''}`;
    },
  },
  load_tools: {
    running: (call) => `Loading ${toolNames(field(call.input, 'names'))}`,
    done: (call) => `Loaded ${toolNames(field(call.output, 'loaded'))}`,
  },
  recall_output: { running: () => 'Recalling an earlier result', done: () => 'Recalled an earlier result' },
  ask_user: {
    running: () => 'Asking you',
    done: (call) => shorten(textField(call.input, 'question') ?? 'Asked you'),
  },
};

/** Of a time to come: that it is set or taken away. */
function publication(call: ToolCall, ending: 'ing' | 'ed'): string {
  const entry = subject(call, 'an entry');
  return textField(call.input, 'at') === undefined
    ? `Publish${ending} ${entry}`
    : `Chang${ending} when ${entry} is published`;
}

function pictureName(call: ToolCall): string {
  return shorten(textField(call.output, 'filename') ?? textField(call.input, 'file', 'ref') ?? 'a picture');
}

function instructionOf(call: ToolCall): string {
  const text = textField(call.input, 'text') ?? '';
  const meaning = textField(call.input, 'meaning');
  return `“${shorten(meaning ? `${text}: ${meaning}` : text)}”`;
}

function searchScope(call: ToolCall): string {
  const type = textField(call.input, 'type');
  return type ? `${type}s` : 'the site';
}

function quotedQuery(call: ToolCall): string {
  const query = textField(call.input, 'query');
  return query ? ` for “${shorten(query)}”` : '';
}

function position(call: ToolCall): string {
  const value = field(call.output, 'position');
  return typeof value === 'number' ? ` to place ${number.format(value)}` : '';
}

function toolNames(value: unknown): string {
  const names = Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
  return shorten(names.map(toolName).join(', ')) || 'tools';
}

/** A tool's name as words; of a tool server's: `Everything: get-sum`, as the server calls it. */
export function toolName(name: string): string {
  const [server = '', ...rest] = name.split(TOOL_NAME_SEPARATOR);
  return rest.length === 0 ? inWords(name) : `${inWords(server)}: ${rest.join(TOOL_NAME_SEPARATOR)}`;
}

function inWords(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The first words of the titles above, as one says what is to be done. */
const orders: Readonly<Record<string, string>> = {
  Adding: 'Add',
  Asking: 'Ask',
  Changing: 'Change',
  Creating: 'Create',
  Deleting: 'Delete',
  Keeping: 'Keep',
  Listing: 'List',
  Loading: 'Load',
  Looking: 'Look',
  Moving: 'Move',
  Publishing: 'Publish',
  Reading: 'Read',
  Recalling: 'Recall',
  Removing: 'Remove',
  Replacing: 'Replace',
  Searching: 'Search',
  Undoing: 'Undo',
  Unpublishing: 'Unpublish',
};

/** One plain line that says what a tool call does, did, tried to do, or would do if the user allowed it. */
export function toolTitle(call: ToolCall): string {
  const known = titles[call.name];
  if (!known) return toolName(call.name);
  if (call.state === 'done') return known.done(call);
  const running = known.running(call);
  if (call.state === 'running' || call.state === 'error') return running;
  return running.replace(/^\w+/, (word) => orders[word] ?? word);
}
