import { commandStrings } from '#components/chat/commands/words';
import { inYourWords } from '#components/served-words';
import { strings } from '#components/words';
import type { Undoable } from '#server/core/site-lists';
import {
  CircleHelp,
  Cpu,
  Download,
  Eraser,
  FoldVertical,
  Gauge,
  History,
  Images,
  Inbox,
  type LucideIcon,
  Moon,
  PanelRight,
  PencilLine,
  Search,
  Square,
  SquarePen,
  SunMoon,
  Trash2,
  Undo2,
} from 'lucide-react';
import { createContext, useContext } from 'react';

const words = commandStrings;

/** A possible argument of a command. */
interface CommandChoice {
  /** Argument given to the command. */
  readonly value: string;
  readonly label: string;
  readonly isCurrent?: boolean;
}

/** State that decides which commands make sense and what they would do. */
export interface CommandState {
  readonly sessionId: string | null;
  readonly title: string | null;
  readonly isRunning: boolean;
  readonly isCompacting: boolean;
  /** Null: nothing; undefined: not known yet. */
  readonly undoable: Undoable | null | undefined;
  readonly models: readonly CommandChoice[];
  /** `light`, `dark` or `system`. */
  readonly theme: string;
}

interface Command {
  /** Other words that find it in the list. */
  readonly aliases: readonly string[];
  /** Argument after the name. `choice`: one of `choices`. Absent: none. */
  readonly argument?: { readonly kind: 'text' | 'choice'; readonly isRequired: boolean };
  readonly choices?: (state: CommandState) => readonly CommandChoice[];
  /** Present effect of the command, where that says more than its title. */
  readonly detail?: (state: CommandState) => string | null;
  /** Reason why the command makes no sense now; null: it does. */
  readonly whyNot?: (state: CommandState) => string | null;
}

const { whyNot } = words;
const withoutSession = ({ sessionId }: CommandState) => (sessionId === null ? whyNot.noConversation : null);
const whileBusy = (state: CommandState) => {
  if (state.isCompacting) return withoutSession(state) ?? whyNot.compacting;
  return withoutSession(state) ?? (state.isRunning ? whyNot.running : null);
};

/** Every command, in the order of its lists: the composer, the palette and the help sheet read this one table. */
export const commands = {
  compact: { aliases: ['summarize'], argument: { kind: 'text', isRequired: false }, whyNot: whileBusy },
  prune: { aliases: ['clear'], whyNot: whileBusy },
  undo: {
    aliases: ['revert', 'back'],
    detail: ({ undoable }) => (undoable ? words.undo(inYourWords(undoable.summary)) : null),
    whyNot: (state) => whileBusy(state) ?? (state.undoable === null ? whyNot.nothingToUndo : null),
  },
  new: { aliases: ['chat'] },
  export: {
    aliases: ['download', 'save'],
    argument: { kind: 'choice', isRequired: false },
    choices: () => [
      { value: 'markdown', label: words.formats.markdown },
      { value: 'json', label: words.formats.json },
    ],
    whyNot: withoutSession,
  },
  model: {
    aliases: [],
    argument: { kind: 'choice', isRequired: true },
    choices: ({ models }) => models,
    whyNot: ({ models }) => (models.length < 2 ? whyNot.oneModel : null),
  },
  stop: {
    aliases: ['cancel'],
    whyNot: (state) => withoutSession(state) ?? (state.isRunning ? null : whyNot.nothingRuns),
  },
  rename: { aliases: ['title'], argument: { kind: 'text', isRequired: true }, whyNot: withoutSession },
  search: { aliases: ['find'], argument: { kind: 'text', isRequired: false } },
  preview: { aliases: [] },
  theme: {
    aliases: ['light', 'dark'],
    argument: { kind: 'choice', isRequired: true },
    choices: ({ theme }) =>
      (['light', 'dark', 'system'] as const).map((value) => ({
        value,
        label: strings.theme[value],
        isCurrent: value === theme,
      })),
  },
  help: { aliases: ['shortcuts', 'keys', '?'] },
  changes: { aliases: ['history', 'journal', 'library', 'thread'] },
  done: { aliases: ['leave', 'today', 'publish'], whyNot: withoutSession },
  media: { aliases: ['images', 'pictures'] },
  messages: { aliases: ['inbox', 'forms', 'mail'] },
  site: { aliases: [] },
  trash: { aliases: ['bin', 'deleted', 'restore'] },
  admin: { aliases: ['settings'] },
} as const satisfies Record<string, Command>;

export type CommandName = keyof typeof commands;
export const commandNames = Object.keys(commands) as readonly CommandName[];
const table: Readonly<Record<CommandName, Command>> = commands;

/** A command and what it is given; empty: nothing. */
export interface Invocation {
  readonly name: CommandName;
  readonly argument: string;
}

/** A line in a list of commands. */
export interface CommandItem extends Invocation {
  readonly key: string;
  /** `/export json`. */
  readonly slash: string;
  readonly title: string;
  /** Name of the argument: `title`. */
  readonly argumentHint: string | null;
  /** Needs an argument before it can run. */
  readonly needsMore: boolean;
  readonly isCurrent: boolean;
  readonly whyNot: string | null;
}

const hintOf = (name: CommandName): string | null =>
  (words.arguments as Record<string, string | undefined>)[name] ?? null;

/** Reason why the command makes no sense now; null: it does. */
function reasonAgainst(name: CommandName, state: CommandState): string | null {
  return table[name].whyNot?.(state) ?? null;
}

/** The line of a command by itself. */
export function commandItem(name: CommandName, state: CommandState): CommandItem {
  const { argument, detail } = table[name];
  return {
    key: name,
    name,
    argument: '',
    slash: `/${name}`,
    title: detail?.(state) ?? words.titles[name],
    argumentHint: hintOf(name),
    needsMore: argument?.isRequired ?? false,
    isCurrent: false,
    whyNot: reasonAgainst(name, state),
  };
}

/** A line for each thing that a command may be followed by; none where anything may follow. */
export function choiceItems(name: CommandName, state: CommandState): CommandItem[] {
  return (table[name].choices?.(state) ?? []).map(({ value, label, isCurrent = false }) => ({
    ...commandItem(name, state),
    key: `${name} ${value}`,
    argument: value,
    slash: `/${name} ${value}`,
    title: label,
    argumentHint: null,
    needsMore: false,
    isCurrent,
  }));
}

function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

/** Null: the text does not begin like a command. */
function splitSlash(text: string): { readonly name: string; readonly rest: string | null } | null {
  const [, name, rest] = /^\/([\w?-]*)(?:\s+([^]*))?$/.exec(text) ?? [];
  return name === undefined ? null : { name: name.toLowerCase(), rest: rest ?? null };
}

const matches = ({ value, label }: CommandChoice, typed: string) =>
  value.toLowerCase().includes(typed) || label.toLowerCase().includes(typed);

/** Usable commands first, otherwise in their order. */
export function usableFirst(items: readonly CommandItem[]): CommandItem[] {
  return items.toSorted((a, b) => Number(a.whyNot !== null) - Number(b.whyNot !== null));
}

/** Commands the composer offers for a text that begins with a slash; none if it cannot become a command. */
export function slashItems(text: string, state: CommandState): CommandItem[] {
  const parts = splitSlash(text.trimStart());
  if (!parts) return [];
  const { name, rest } = parts;
  if (rest === null) {
    const isMeant = (one: CommandName) => [one, ...table[one].aliases].some((word) => word.startsWith(name));
    return usableFirst(commandNames.filter(isMeant).map((one) => commandItem(one, state)));
  }
  if (!isCommandName(name)) return [];
  const typed = rest.trim().toLowerCase();
  return choiceItems(name, state).filter(({ argument, title }) => matches({ value: argument, label: title }, typed));
}

/** The command whose free text is being written, to say what it is for. */
export function commandInWriting(text: string): CommandName | null {
  const parts = splitSlash(text.trimStart());
  if (!parts || parts.rest === null || !isCommandName(parts.name)) return null;
  return table[parts.name].argument?.kind === 'text' ? parts.name : null;
}

/** Result of reading a sent text as a command. */
type SlashText =
  /** A message as any other, even if it begins with a slash. */
  | { readonly kind: 'message' }
  | { readonly kind: 'command'; readonly invocation: Invocation }
  /** Meant as a command, but it cannot be run like this. */
  | { readonly kind: 'problem'; readonly message: string };

const message: SlashText = { kind: 'message' };
const problem = (text: string): SlashText => ({ kind: 'problem', message: text });
const command = (name: CommandName, argument = ''): SlashText => ({ kind: 'command', invocation: { name, argument } });

/**
 * Reads a text that is about to be sent. `/pricing is wrong` and `/new is a bad slug` are messages: a name that is no
 * command, or one that nothing can follow, with words behind it.
 */
export function readSlash(text: string, state: CommandState): SlashText {
  const parts = splitSlash(text.trim());
  if (!parts) return message;
  const { name, rest } = parts;
  if (!isCommandName(name)) return rest === null ? problem(words.unknown(name)) : message;
  const { argument, choices } = table[name];
  if (rest === null) return argument?.isRequired ? problem(words.needsArgument(hintOf(name) ?? '')) : command(name);
  if (!argument) return message;
  if (!choices) return command(name, rest);
  const offered = choices(state);
  const choice = chosen(offered, rest);
  if (choice) return command(name, choice.value);
  // Several words after `/export` or `/theme` are a sentence; a model's name may have several.
  if (name !== 'model' && /\s/.test(rest)) return message;
  return problem(words.noSuchChoice(rest, offered.map(({ label, value }) => (name === 'model' ? label : value)).join(', '))); // prettier-ignore
}

/** The choice that a text names: exactly, or as the only one it is in. */
function chosen(offered: readonly CommandChoice[], text: string): CommandChoice | undefined {
  const typed = text.toLowerCase();
  const exact = offered.find(({ value, label }) => value.toLowerCase() === typed || label.toLowerCase() === typed);
  const similar = offered.filter((choice) => matches(choice, typed));
  return exact ?? (similar.length === 1 ? similar[0] : undefined);
}

const icons: Readonly<Record<CommandName, LucideIcon>> = {
  compact: FoldVertical,
  prune: Eraser,
  undo: Undo2,
  new: SquarePen,
  export: Download,
  model: Cpu,
  stop: Square,
  rename: PencilLine,
  search: Search,
  preview: PanelRight,
  theme: SunMoon,
  help: CircleHelp,
  changes: History,
  done: Moon,
  media: Images,
  messages: Inbox,
  site: PencilLine,
  trash: Trash2,
  admin: Gauge,
};

/** The sign of a command. */
export function CommandIcon({ name }: { readonly name: CommandName }) {
  const Icon = icons[name];
  return <Icon aria-hidden className="size-4 shrink-0 stroke-[1.75] text-ink-3" />;
}

/** The commands as any part of the desk can use them. */
export interface Commands {
  /** Conversation on screen; null on the empty desk. */
  readonly sessionId: string | null;
  readonly run: (invocation: Invocation) => void;
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

const CommandsContext = createContext<Commands | null>(null);

export const CommandsProvider = CommandsContext.Provider;

/** Throws outside of the desk. */
export function useCommands(): Commands {
  const ofDesk = useContext(CommandsContext);
  if (!ofDesk) throw new Error('useCommands needs a CommandsProvider above it.');
  return ofDesk;
}
