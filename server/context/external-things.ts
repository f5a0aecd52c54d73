import { type CountTokens, countTokens, newestWithin } from '#server/context/tokens';
import { pairToolResults } from '#server/context/tool-results';
import { createBreathing } from '#server/core/breathe';
import type { JsonValue } from '#server/core/json';
import type { Message } from '#server/core/messages';
import type { ToolCallPart, ToolResultPart } from '#server/core/parts';

/** Something that tools from elsewhere worked with, by the name they gave it: an id, a URL, a file path, a slug. */
export interface ExternalThing {
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
/** Shell commands that change files or repositories. */
const ACTING_COMMAND =
  /(?:^|[\s;&|(])(?:rm|mv|cp|mkdir|touch|tee|ln|chmod|git (?:add|commit|push|merge|rebase|tag|checkout -b|rm|mv)|(?:npm|pnpm|yarn|bun) (?:i|install|add|remove|uninstall)|sed -i|pip install)(?:\s|$)|(?<![0-9&>=-])>{1,2}\s?[\w./~]/;

/**
 * Lists what external tools worked with, read from the inputs and outputs of their calls, the newest last; what was
 * acted on once counts as acted on, however often it is looked at later. Failed calls name nothing.
 * @param known names that the journal already tells of
 */
export function externalThings(messages: readonly Message[], known: ReadonlySet<string>): ExternalThing[] {
  const results = pairToolResults(messages);
  const things = new Map<string, ExternalThing>();
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

/** Reads the names in every call, with others let through: `externalThings` has them at hand then. */
export async function readExternalNames(messages: readonly Message[]): Promise<void> {
  const results = pairToolResults(messages);
  const breathe = createBreathing();
  for (const { parts } of messages)
    for (const part of parts) {
      if (part.type !== 'tool-call') continue;
      namesOfCall(part, results.get(part.id));
      await breathe();
    }
}

function note(things: Map<string, ExternalThing>, name: string, acted: boolean, toolName: string): void {
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

/** Names read in each call, as long as the call is held in memory. */
const namesRead = new WeakMap<ToolCallPart, CallNames>();

/** Names that a call acted on (its input, and what came of it) and names that it only showed. Read once. */
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
export function externalLines(
  things: readonly ExternalThing[],
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

/* Every pattern is bounded: a tool's input or output may be a megabyte of anything. */

const HTTP_URL = /\bhttps?:\/\/[^\s"'<>()[\]{}\\`|]{3,200}/g;
const FILE_PATH = /(?<![\w./~@-])(?:~|\.{1,2})?\/?(?:[\w.@+-]{1,60}\/){1,14}[\w.@+-]{1,80}/g;
const FILE_NAME = /(?<![\w./~@-])[\w-]{1,60}(?:\.[\w-]{1,30})?\.[a-z][a-z0-9]{0,4}(?![\w/])/g;
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
/** `pag_k7m2p9`, `msg-01h8x4`: letters, a separator, then something with a digit. */
const PREFIXED_ID = /(?<![\w-])[a-z]{2,8}[_-](?=[a-z]{0,39}\d)[a-zA-Z0-9]{4,40}(?![\w-])/g;
/** A word with a dot is a file only where it ends like one: sentences without a space are many. */
const FILE_TYPE =
  /\.(?:tsx?|jsx?|mjs|cjs|json|md|mdx|py|rb|go|rs|java|kt|c|h|cpp|cs|php|html?|css|scss|sql|sh|ya?ml|toml|txt|csv|xml|svg|png|jpe?g|gif|webp|pdf|lock|rst|ini)$/;

/** Keys whose values name something. */
const NAMING_KEY =
  /^(?:ids?|key|slugs?|urls?|uri|href|link|permalink|paths?|files?|file_?name|file_?path|dir|directory|folder|branch|repo|repository|sha|commit|handle)$|(?:_ids?|Ids?|ID|_url|Url|_path|Path|_slug|Slug)$/;
/** Ids of a request or revision name nothing that one could work on. */
const PASSING_KEY = /^(?:change|revision|request|trace|span|session|message|tool_?call|event|correlation|run)_?ids?$/i;
/** Keys of shell commands, whose words may be names. */
const COMMAND_KEY = /^(?:command|commands|cmd|args?|script)$/i;

const MAX_NAME_CHARS = 200;
/** Longer keys are no words that we know. */
const MAX_KEY_CHARS = 60;
/** Characters of one text that are read: names stand at its beginning, contents follow. */
const MAX_TEXT_CHARS = 4_000;
/** The same for all texts of one value together. */
const MAX_CHARS = 20_000;
const MAX_NODES = 2_000;
const MAX_DEPTH = 8;

/**
 * Ids, URLs, file paths and slugs in a JSON value, in order, each once: values under keys that say so, and the words
 * of commands.
 * @param insideTexts also read texts under other keys, such as answers
 */
function findNames(value: JsonValue, { insideTexts }: { readonly insideTexts: boolean }): string[] {
  const names = new Set<string>();
  let nodes = 0;
  let charsLeft = MAX_CHARS;
  const readText = (text: string): void => {
    const read = text.slice(0, Math.min(MAX_TEXT_CHARS, charsLeft));
    charsLeft -= read.length;
    for (const name of namesInText(read)) names.add(name);
  };
  const visit = (node: JsonValue, key: string, depth: number): void => {
    nodes += 1;
    if (nodes > MAX_NODES || depth > MAX_DEPTH || node === null || PASSING_KEY.test(key)) return;
    if (Array.isArray(node)) {
      for (const item of node.slice(0, MAX_NODES)) visit(item, key, depth + 1);
    } else if (typeof node === 'object') {
      for (const [name, item] of Object.entries(node)) visit(item, name.slice(-MAX_KEY_CHARS), depth + 1);
    } else if (typeof node === 'string' || typeof node === 'number') {
      const text = String(node);
      if (NAMING_KEY.test(key) && isName(text)) names.add(text.trim());
      else if (insideTexts || COMMAND_KEY.test(key)) readText(text);
    }
  };
  visit(value, '', 0);
  return [...names];
}

/** Ids, URLs and file paths in running text, by kind, each once. Reads its first 4,000 characters. */
function namesInText(text: string): string[] {
  const read = text.slice(0, MAX_TEXT_CHARS);
  const urls = (read.match(HTTP_URL) ?? []).map((url) => url.replace(/[.,;:!?*]{1,5}$/, ''));
  const rest = read.replaceAll(HTTP_URL, ' ');
  const paths = (rest.match(FILE_PATH) ?? []).filter(isPath).map((path) => path.replace(/[.,]{1,3}$/, ''));
  const ids = [UUID, PREFIXED_ID].flatMap((pattern) => rest.match(pattern) ?? []);
  const files = (rest.match(FILE_NAME) ?? []).filter(
    (name) => FILE_TYPE.test(name) && !/^[\d._-]*\.[a-z]+$/i.test(name),
  );
  return [...new Set([...urls, ...paths, ...ids, ...files])];
}

/** `and/or` is not a path: a path is absolute, has a file's ending or at least three segments. */
function isPath(path: string): boolean {
  if (path.includes('//') || !/[a-z]/i.test(path)) return false;
  return /^(?:~|\.{0,2}\/)/.test(path) || FILE_TYPE.test(path) || path.split('/').length > 2;
}

/** Short, on one line, and not a sentence. */
function isName(text: string): boolean {
  if (text.length > MAX_NAME_CHARS || /[\n\r]/.test(text)) return false;
  const words = text.trim().split(' ');
  return words[0] !== '' && words.length <= 3;
}
