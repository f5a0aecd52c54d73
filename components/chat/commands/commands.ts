import { translator } from '#components/i18n.ts';
import { summaryText } from '#components/message-text.ts';
import type { Undoable } from '#server/core/site/site-lists';

const t = translator('command');
const tShared = translator('shared');

/** A possible argument of a command. */
export interface CommandChoice {
  /** Argument given to the command. */
  readonly value: string;
  readonly label: string;
  /** True for the choice in effect. Absent means false. */
  readonly isCurrent?: boolean;
}

/** State that determines which commands are available and what they would do. */
export interface CommandState {
  /** Open conversation; null on the empty workspace. */
  readonly sessionId: string | null;
  readonly title: string | null;
  readonly isRunning: boolean;
  readonly isCompacting: boolean;
  /** Null: nothing to undo; undefined: not known yet. */
  readonly undoable: Undoable | null | undefined;
  readonly models: readonly CommandChoice[];
  /** `light`, `dark` or `system`. */
  readonly theme: string;
}

interface Command {
  /** Synonyms that find it in the list. */
  readonly aliases: readonly string[];
  /** Type of the argument after the name. `choice`: one of `choices`. Absent if the command takes none. */
  readonly argument?: { readonly kind: 'text' | 'choice'; readonly isRequired: boolean };
  /** The values that the argument can have now. Absent: any text. */
  readonly choices?: (state: CommandState) => readonly CommandChoice[];
  /** Current effect of the command, if that adds something to its title. */
  readonly detail?: (state: CommandState) => string | null;
  /** Reason why the command is not available now; null if it is. */
  readonly whyNot?: (state: CommandState) => string | null;
}

const withoutSession = ({ sessionId }: CommandState) => (sessionId === null ? t('whyNot.noConversation') : null);
const whileBusy = (state: CommandState) => {
  if (state.isCompacting) return withoutSession(state) ?? t('whyNot.compacting');
  return withoutSession(state) ?? (state.isRunning ? t('whyNot.running') : null);
};

/** All commands in list order: the composer, the palette and the help sheet use this table. */
const commands = {
  compact: { aliases: ['summarize'], argument: { kind: 'text', isRequired: false }, whyNot: whileBusy },
  prune: { aliases: ['clear'], whyNot: whileBusy },
  undo: {
    aliases: ['revert', 'back'],
    detail: ({ undoable }) => (undoable ? t('undo', { summary: summaryText(undoable) }) : null),
    whyNot: (state) => whileBusy(state) ?? (state.undoable === null ? t('whyNot.nothingToUndo') : null),
  },
  new: { aliases: ['chat'] },
  export: {
    aliases: ['download', 'save'],
    argument: { kind: 'choice', isRequired: false },
    choices: () => [
      { value: 'markdown', label: t('formats.markdown') },
      { value: 'json', label: t('formats.json') },
    ],
    whyNot: withoutSession,
  },
  model: {
    aliases: [],
    argument: { kind: 'choice', isRequired: true },
    choices: ({ models }) => models,
    whyNot: ({ models }) => (models.length < 2 ? t('whyNot.oneModel') : null),
  },
  stop: {
    aliases: ['cancel'],
    whyNot: (state) => withoutSession(state) ?? (state.isRunning ? null : t('whyNot.nothingRuns')),
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
        label: tShared(`theme.${value}`),
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

/** Name of a command, as typed after the slash. */
export type CommandName = keyof typeof commands;
/** All names, in list order. */
export const commandNames = Object.keys(commands) as readonly CommandName[];
/** The table of commands without the literal types, to look up any command. */
export const commandDetails: Readonly<Record<CommandName, Command>> = commands;

/** A command and its argument; an empty argument means none. */
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
  /** True if it needs an argument before it can run. */
  readonly needsMore: boolean;
  /** True for the choice in effect, for example the present theme. */
  readonly isCurrent: boolean;
  /** Reason why the command is not available now; null if it is. */
  readonly whyNot: string | null;
}

/** The displayed name of the command's argument; null if it takes none. */
export const argumentName = (name: CommandName): string | null => t.find(`arguments.${name}`) ?? null;

/** Reason why the command is not available now; null if it is. */
function reasonAgainst(name: CommandName, state: CommandState): string | null {
  return commandDetails[name].whyNot?.(state) ?? null;
}

/** The line of a command without its choices. */
export function commandItem(name: CommandName, state: CommandState): CommandItem {
  const { argument, detail } = commandDetails[name];
  return {
    key: name,
    name,
    argument: '',
    slash: `/${name}`,
    title: detail?.(state) ?? t(`titles.${name}`),
    argumentHint: argumentName(name),
    needsMore: argument?.isRequired ?? false,
    isCurrent: false,
    whyNot: reasonAgainst(name, state),
  };
}

/** A line for each choice of a command; none if any text may follow. */
export function choiceItems(name: CommandName, state: CommandState): CommandItem[] {
  return (commandDetails[name].choices?.(state) ?? []).map(({ value, label, isCurrent = false }) => ({
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

/** True if a command has this name; synonyms do not count. */
export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

/** True if the value or the label of a choice contains the typed text, which is in lower case. */
export const matchesChoice = ({ value, label }: CommandChoice, typed: string) =>
  value.toLowerCase().includes(typed) || label.toLowerCase().includes(typed);

/** Usable commands first, otherwise in their order. */
export function availableFirst(items: readonly CommandItem[]): CommandItem[] {
  return items.toSorted((a, b) => Number(a.whyNot !== null) - Number(b.whyNot !== null));
}
