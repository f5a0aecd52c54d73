import { translator } from '#components/i18n.ts';
import {
  availableFirst,
  choiceItems,
  commandItem,
  commandNames,
  commandDetails,
  type CommandItem,
  type CommandName,
  type CommandState,
  type Invocation,
  isCommandName,
  matchesChoice,
  argumentName,
  type CommandChoice,
} from '#components/chat/commands/commands.ts';

const t = translator('command');

/** Null if the text does not start like a command. */
function splitSlash(text: string): { readonly name: string; readonly rest: string | null } | null {
  const [, name, rest] = /^\/([\w?-]*)(?:\s+([^]*))?$/.exec(text) ?? [];
  return name === undefined ? null : { name: name.toLowerCase(), rest: rest ?? null };
}

/** Commands that the composer offers for a text that begins with a slash; none if it cannot become a command. */
export function slashItems(text: string, state: CommandState): CommandItem[] {
  const parts = splitSlash(text.trimStart());
  if (!parts) return [];
  const { name, rest } = parts;
  if (rest === null) {
    const isPrefixed = (one: CommandName) =>
      [one, ...commandDetails[one].aliases].some((word) => word.startsWith(name));
    return availableFirst(commandNames.filter(isPrefixed).map((one) => commandItem(one, state)));
  }
  if (!isCommandName(name)) return [];
  const typed = rest.trim().toLowerCase();
  return choiceItems(name, state).filter(({ argument, title }) =>
    matchesChoice({ value: argument, label: title }, typed),
  );
}

/** The command whose free text is being typed, to show its purpose. */
export function commandInWriting(text: string): CommandName | null {
  const parts = splitSlash(text.trimStart());
  if (!parts || parts.rest === null || !isCommandName(parts.name)) return null;
  return commandDetails[parts.name].argument?.kind === 'text' ? parts.name : null;
}

/** Result of parsing a text as a command. */
type SlashText =
  /** An ordinary message, even if it begins with a slash. */
  | { readonly kind: 'message' }
  | { readonly kind: 'command'; readonly invocation: Invocation }
  /** A command that cannot run like this. */
  | { readonly kind: 'problem'; readonly message: string };

const message: SlashText = { kind: 'message' };
const problem = (text: string): SlashText => ({ kind: 'problem', message: text });
const command = (name: CommandName, argument = ''): SlashText => ({ kind: 'command', invocation: { name, argument } });

/**
 * Parses a text that is about to be sent. `/pricing is wrong` and `/new is a bad slug` are messages: `pricing` is no
 * command, and `new` takes no argument but is followed by text.
 */
export function readSlash(text: string, state: CommandState): SlashText {
  const parts = splitSlash(text.trim());
  if (!parts) return message;
  const { name, rest } = parts;
  if (!isCommandName(name)) return rest === null ? problem(t('unknown', { name })) : message;
  const { argument, choices } = commandDetails[name];
  if (rest === null)
    return argument?.isRequired ? problem(t('needsArgument', { hint: argumentName(name) ?? '' })) : command(name);
  if (!argument) return message;
  if (!choices) return command(name, rest);
  const offered = choices(state);
  const choice = chosen(offered, rest);
  if (choice) return command(name, choice.value);
  // Several words after `/export` or `/theme` are a sentence; a model's name may have several.
  if (name !== 'model' && /\s/.test(rest)) return message;
  return problem(t('noSuchChoice', { argument: rest, choices: offered.map(({ label, value }) => (name === 'model' ? label : value)).join(', ') })); // oxfmt-ignore
}

/** The choice that a text names: by exact match, or as the only choice that contains it. */
function chosen(offered: readonly CommandChoice[], text: string): CommandChoice | undefined {
  const typed = text.toLowerCase();
  const exact = offered.find(({ value, label }) => value.toLowerCase() === typed || label.toLowerCase() === typed);
  const similar = offered.filter((choice) => matchesChoice(choice, typed));
  return exact ?? (similar.length === 1 ? similar[0] : undefined);
}
