import { createBreathing } from '#server/core/breathe';
import type { JsonValue } from '#server/core/json';
import type { Message } from '#server/core/messages';
import type { ToolCallPart, ToolResultPart } from '#server/core/parts';
import { COMMAND_KEY, findNames, namesInText } from '#server/context/kept/find-names';
import { newestWithin } from '#server/context/summary/newest-within';
import { pairToolResults } from '#server/context/view/pair-tool-results';
import { type CountTokens, countTokens } from '#server/context/tokens';

/** Something that tools from elsewhere worked with, by the name they gave it: an id, a URL, a file path, a slug. */
export interface ForeignThing {
  readonly name: string;
  /** Something was done to it, it was not merely looked at. */
  readonly acted: boolean;
  /** The tools that acted on it, or else that showed it, each once, in order. */
  readonly tools: readonly string[];
}

/** A call names what it acts on; an output that lists more than this only happens to mention them. */
const MAX_NAMES_PER_CALL = 20;
const MAX_SEEN_PER_OUTPUT = 10;
const MAX_COMMAND_CHARS = 4_000;

/** Set aside for the line that counts what is folded: tokens. */
const FOLD_TOKENS = 20;

const ACTING =
  /^(?:add|append|apply|archive|assign|attach|commit|copy|create|delete|deploy|disable|duplicate|edit|editor|enable|generate|insert|install|make|merge|mkdir|modify|move|patch|post|publish|push|put|remove|rename|replace|restore|save|schedule|send|set|submit|undo|unpublish|update|upload|upsert|write)$/;
const LOOKING =
  /^(?:cat|check|describe|fetch|find|get|glob|grep|head|inspect|list|load|look|ls|open|preview|query|read|search|show|status|tail|view)$/;
/** Of shell commands, those that change files or repositories. */
const ACTING_COMMAND =
  /(?:^|[\s;&|(])(?:rm|mv|cp|mkdir|touch|tee|ln|chmod|git (?:add|commit|push|merge|rebase|tag|checkout -b|rm|mv)|(?:npm|pnpm|yarn|bun) (?:i|install|add|remove|uninstall)|sed -i|pip install)(?:\s|$)|(?<![0-9&>=-])>{1,2}\s?[\w./~]/;

/**
 * What tools from elsewhere worked with, read from the inputs and outputs of their calls, the newest last; what was
 * acted on once counts as acted on, however often it is looked at later. Failed calls name nothing.
 * @param known names that the journal already tells of
 */
export function foreignThings(messages: readonly Message[], known: ReadonlySet<string>): ForeignThing[] {
  const results = pairToolResults(messages);
  const things = new Map<string, ForeignThing>();
  for (const call of messages.flatMap((message) => message.parts).filter((part) => part.type === 'tool-call')) {
    const result = results.get(call.id);
    if (result && isFailure(result)) continue;
    const { acted, seen } = namesOfCall(call, result);
    // A write to something that the journal tells of is itself in the journal.
    if (acted.some((name) => known.has(name))) continue;
    for (const name of seen) if (!known.has(name)) note(things, name, false, call.content.toolName);
    for (const name of acted) note(things, name, true, call.content.toolName);
  }
  return [...things.values()];
}

/** Reads the names in every call, with others let through: `foreignThings` has them at hand then. */
export async function readForeignNames(messages: readonly Message[]): Promise<void> {
  const results = pairToolResults(messages);
  const breathe = createBreathing();
  for (const { parts } of messages)
    for (const part of parts) {
      if (part.type !== 'tool-call') continue;
      namesOfCall(part, results.get(part.id));
      await breathe();
    }
}

function note(things: Map<string, ForeignThing>, name: string, acted: boolean, toolName: string): void {
  const before = things.get(name);
  // Looking at what was worked on keeps it, and makes it newer.
  const counts = acted || !before?.acted;
  const tools = before && before.acted === acted ? before.tools : [];
  things.delete(name);
  things.set(name, {
    name,
    acted: acted || (before?.acted ?? false),
    tools: counts ? [...new Set([...tools, toolName])] : (before?.tools ?? []),
  });
}

interface CallNames {
  readonly result: ToolResultPart | undefined;
  readonly acted: readonly string[];
  readonly seen: readonly string[];
}

/** What was read in each call, as long as the call is held in memory. */
const namesRead = new WeakMap<ToolCallPart, CallNames>();

/** What a call acted on (its input, and the names of what came of it) and what it only showed. Read once. */
function namesOfCall(call: ToolCallPart, result: ToolResultPart | undefined): CallNames {
  const known = namesRead.get(call);
  if (known && known.result === result) return known;
  const names = { result, ...readNames(call, result) };
  namesRead.set(call, names);
  return names;
}

function readNames(call: ToolCallPart, result: ToolResultPart | undefined): Omit<CallNames, 'result'> {
  const inInput = findNames(call.content.input, { insideTexts: false }).slice(0, MAX_NAMES_PER_CALL);
  if (isActing(call)) {
    // Where the input names nothing, the answer says what was made.
    const made = result ? namesInOutput(result, inInput.length === 0) : [];
    return { acted: [...inInput, ...made.slice(0, MAX_NAMES_PER_CALL)], seen: [] };
  }
  const shown = result ? namesInOutput(result, true).slice(0, MAX_SEEN_PER_OUTPUT) : [];
  return { acted: [], seen: [...shown, ...inInput] };
}

function namesInOutput({ content: { output } }: ToolResultPart, insideTexts: boolean): string[] {
  if (output.type === 'text') return insideTexts ? namesInText(output.value) : [];
  if (output.type === 'json') return findNames(output.value, { insideTexts });
  if (output.type !== 'content' || !insideTexts) return [];
  return output.value.flatMap((item) =>
    'text' in item && typeof item.text === 'string' ? namesInText(item.text) : [],
  );
}

function isFailure({ content: { output } }: ToolResultPart): boolean {
  return output.type.startsWith('error') || output.type === 'execution-denied';
}

/** By the words of the tool's name; a tool that runs commands, by its command. */
function isActing({ content: { toolName, input } }: ToolCallPart): boolean {
  const words = toolName
    .slice(0, 100)
    .split(/(?<=[a-z0-9])(?=[A-Z])|[^a-zA-Z]+/)
    .map((word) => word.toLowerCase());
  const decisive = words.find((word) => ACTING.test(word) || LOOKING.test(word));
  if (decisive !== undefined) return ACTING.test(decisive);
  return commandsOf(input).some((command) => ACTING_COMMAND.test(command.slice(0, MAX_COMMAND_CHARS)));
}

function commandsOf(input: JsonValue): string[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return [];
  const commands = Object.entries(input).flatMap(([key, value]) => (COMMAND_KEY.test(key) ? value : []));
  return commands.filter((command) => typeof command === 'string').slice(0, MAX_NAMES_PER_CALL);
}

/** Names of what was only looked at are worth no more than this: tokens. */
const MAX_SEEN_TOKENS = 300;

/**
 * The things as lines within a budget of tokens: what was acted on, the newest last (`- src/app.ts: write, edit`), the
 * oldest folded into a count where they do not fit; then, on one line, the newest of what was only seen.
 * @param canRecall whether the line about the folded ones may name the tool that finds them
 */
export function foreignLines(
  things: readonly ForeignThing[],
  tokens: number,
  count: CountTokens = countTokens,
  canRecall = true,
): string[] {
  const costOf = (line: string) => count(line) + 1;
  const acted = things.filter((thing) => thing.acted).map((thing) => `- ${thing.name}: ${thing.tools.join(', ')}`);
  const newest = newestWithin(acted, tokens - FOLD_TOKENS, costOf);
  const folded = acted.length - newest.length;
  const left = tokens - FOLD_TOKENS - newest.reduce((sum, line) => sum + costOf(line), 0);
  const seen = newestWithin(
    things.filter((thing) => !thing.acted).map((thing) => thing.name),
    Math.min(left, MAX_SEEN_TOKENS),
    costOf,
  );
  return [
    ...(folded === 0 || tokens < FOLD_TOKENS
      ? []
      : [`- earlier: ${folded} more worked on${canRecall ? '; their names by search_history' : ''}`]),
    ...newest,
    ...(seen.length === 0 ? [] : [`- seen: ${seen.join(', ')}`]),
  ];
}
