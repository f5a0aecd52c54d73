import { z } from 'zod';
import type { DisplayUnit } from '#server/core/admin/display-units';
import { parseOrigins } from '#server/core/origins';
import { type StrategyName, strategyNames } from '#server/core/admin/strategy-names';
import { type SettingGroup, type SettingInput, toolPolicyNames } from '#server/core/admin/settings-report';

/** How a setting is named and entered. */
interface SettingForm {
  readonly variable: string;
  readonly unit: string;
  readonly range: string;
  readonly input: SettingInput;
}

/** A setting without its description for people. */
interface SettingFacts<T> extends SettingForm {
  readonly default: T;
  readonly schema: z.ZodType<T>;
  readonly textSchema: z.ZodType<T, string>;
  /** Formats the value as text for the environment; empty if nothing is set. */
  toText(this: void, value: T): string;
}

/** One setting of the engine: its valid values, its form in the environment, and its description for people. */
export interface Setting<T> extends SettingFacts<T> {
  readonly meaning: string;
  /** Strategy without which it has no effect; null: it always has. */
  readonly strategy: StrategyName | null;
}

/** Smallest and largest allowed number. */
type Range = readonly [min: number, max: number];

/** Builds a setting; `means` adds its description for people, and the strategy that it is for. */
const setting = <T>(facts: SettingFacts<T>) => ({
  means: (meaning: string, strategy: StrategyName | null = null): Setting<T> => ({ ...facts, meaning, strategy }),
});

/** Largest number of tokens or characters that any setting accepts. */
export const MAX_SETTING_VALUE = 100_000_000;

/** A range for people. */
const spelled = ([min, max]: Range) => `${min.toLocaleString('en-US')} to ${max.toLocaleString('en-US')}`;

/** Builds settings that are numbers. */
const numeric =
  (whole: boolean) =>
  (variable: string, unit: string, value: number, [min, max]: Range, displayUnit: DisplayUnit = 'number') => {
    const range = spelled([min, max]);
    const error = `must be a ${whole ? 'whole ' : ''}number from ${range}`;
    const schema = (whole ? z.int(error) : z.number(error)).min(min, error).max(max, error);
    const text = z.string().regex(whole ? /^\d{1,15}$/ : /^\d{1,9}(\.\d{1,9})?$/, error);
    const textSchema = text.transform(Number).pipe(schema);
    const input = { kind: 'number', min, max, whole, displayUnit } as const;
    return setting({ variable, unit, default: value, range, input, schema, textSchema, toText: String });
  };

/** A number without a fraction: tokens, characters, turns. */
export const wholeNumber = numeric(true);
/** A number that may have a fraction: a share, a factor. */
export const fraction = numeric(false);

const tokens = (variable: string, value: number, range: Range) =>
  wholeNumber(variable, 'tokens', value, range, 'thousand-tokens');
const characters = (variable: string, value: number, range: Range) =>
  wholeNumber(variable, 'characters', value, range, 'thousand-characters');

/** True or false. */
function toggle(variable: string, value: boolean) {
  const error = 'must be true or false';
  const schema = z.boolean(error);
  const textSchema = z.enum(['true', 'false'], error).transform((text) => text === 'true');
  const facts = { variable, default: value, unit: '', range: 'true, false', input: { kind: 'toggle' } } as const;
  return setting({ ...facts, schema, textSchema, toText: String });
}

/** One of several names. */
function choice<const Name extends string>(variable: string, names: readonly Name[], value: NoInfer<Name>) {
  const range = names.join(', ');
  const schema = z.enum(names, `must be one of: ${range}`);
  const facts = { variable, default: value, unit: '', range, input: { kind: 'choice', names } } as const;
  return setting<Name>({ ...facts, schema, textSchema: z.string().pipe(schema), toText: String });
}

/** Maximum characters of the id of a model. */
const MAX_MODEL_ID_LENGTH = 200;
const modelIdSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_MODEL_ID_LENGTH, `must be a model id of at most ${MAX_MODEL_ID_LENGTH} characters`)
  .regex(/^[^\p{C}\p{Z}]*$/u, 'must be a model id: no spaces and no control or invisible characters');

/** The id of a model, or the keyword that represents one, which is the default. */
function modelId(variable: string, word: string) {
  const range = `1 to ${MAX_MODEL_ID_LENGTH} characters`;
  const facts = { variable, default: word, unit: 'model id', range, input: { kind: 'model', word } } as const;
  const [schema, textSchema] = [modelIdSchema, z.string().pipe(modelIdSchema)];
  return setting({ ...facts, schema, textSchema, toText: String });
}

/** Maximum number of origins in one setting. */
const MAX_ORIGINS = 20;

/** Origins, separated by commas; none by default. */
function origins(variable: string, meaning: string): Setting<string> {
  const error = `must be at most ${MAX_ORIGINS} origins like https://www.kiln.example, separated by commas`;
  const read = (text: string) => (text === '' ? [] : parseOrigins(text));
  const schema = z.string(error).refine((text) => (read(text)?.length ?? Infinity) <= MAX_ORIGINS, error);
  const facts = { variable, meaning, unit: 'origins', range: `up to ${MAX_ORIGINS}`, default: '', strategy: null };
  return { ...facts, input: { kind: 'origins' }, schema, textSchema: z.string().pipe(schema), toText: String };
}

/** Maximum number of models or tools that one setting names. */
const MAX_PAIRS = 200;

/** One value for each of several models or tools; the environment uses `key=value, key=value`. */
function byName<Value extends number | string>(
  facts: SettingForm,
  of: 'model' | 'tool',
  value: z.ZodType<Value>,
  error: string,
  example: string,
) {
  const key = of === 'model' ? modelIdSchema : z.string().regex(/^[\w-]{1,100}$/, error);
  const schema = z
    .record(key, value, error)
    .refine((pairs) => Object.keys(pairs).length <= MAX_PAIRS, `must name at most ${MAX_PAIRS} ${of}s`);
  const pattern = /^[^,=]+=\s*\w+\s*(,[^,=]+=\s*\w+\s*)*$/;
  const text = z.string().regex(pattern, `must look like ${of}=${example}, ${of}=${example}`);
  // Converts whole numbers; the schema validates any other text.
  const readPair = (pair: string): [string, unknown] => {
    const [name = '', written = ''] = pair.split('=').map((part) => part.trim());
    return [name, /^\d{1,15}$/.test(written) ? Number(written) : written];
  };
  const textSchema = text
    .transform((pairs): unknown => Object.fromEntries(pairs.split(',').map(readPair)))
    .pipe(schema);
  const toText = (pairs: Readonly<Record<string, Value>>) =>
    Object.entries(pairs)
      .map(([name, each]) => `${name}=${each}`)
      .join(', ');
  return setting<Readonly<Record<string, Value>>>({ ...facts, default: {}, schema, textSchema, toText });
}

/** A whole number of tokens or characters for each of several models or tools. */
function numbersByName(variable: string, of: 'model' | 'tool', unit: string, [min, max]: Range) {
  const by = of === 'model' ? 'model id' : 'tool name';
  const range = spelled([min, max]);
  const error = `must be whole numbers of ${unit} from ${range} by ${by}`;
  const value = z.int(error).min(min, error).max(max, error);
  const displayUnit = of === 'model' ? 'thousand-tokens' : 'thousand-characters';
  const input = { kind: 'numbers', of, min, max, displayUnit } as const;
  return byName({ variable, unit: `${unit} by ${by}`, range: `${range} each`, input }, of, value, error, unit);
}

/** One of several names for each of several tools. */
function choiceByTool<const Name extends string>(variable: string, names: readonly Name[]) {
  const range = names.join(', ');
  const error = `must be one of ${range} by tool name`;
  const value = z.enum(names, error) as unknown as z.ZodType<Name>;
  const facts = { variable, unit: 'by tool name', range: `${range} each`, input: { kind: 'choices', names } } as const;
  return byName(facts, 'tool', value, error, 'ask');
}

/** Value of `defaultModel`: the best model of the configured providers. */
export const AUTO_MODEL = '__auto__';
/** Value of other settings that name a model: the model of the session. */
export const SAME_MODEL = '__same__';

const HOUR_MS = 3_600_000;

/** Share of the window above which a strategy compacts. */
const threshold = (variable: string, strategy: StrategyName, share: number) =>
  fraction(variable, 'of the window', share, [0.1, 0.95], 'percent').means(
    `The strategy ${strategy} compacts above this.`,
    strategy,
  );

/** An amount of money that should not be exceeded; the cost of work still running when it is reached is added to it. */
const budget = (variable: string, meaning: string) =>
  fraction(variable, 'US dollars', 0, [0, 100_000_000], 'dollars').means(
    `${meaning} At 80 % the chat shows a notice, at 100 % no paid model is called. 0: no limit.`,
  );

/**
 * The settings that people can change, in the order of their page; the schema, the environment variables and the docs
 * are generated from this.
 */
export const settingGroups = {
  models: {
    defaultModel: modelId('DEFAULT_MODEL', AUTO_MODEL).means(
      `Model of sessions that name none; \`${AUTO_MODEL}\` is the recommended model of the connected services, else the basic assistant.`,
    ),
    compactionModel: modelId('COMPACTION_MODEL', SAME_MODEL).means(
      `Model that writes the summaries; \`${SAME_MODEL}\` is the model of the session.`,
    ),
    pictureModel: modelId('PICTURE_MODEL', SAME_MODEL).means(
      `Model that describes pictures to the assistant instead of sending them to the model of the session; \`${SAME_MODEL}\` is the model of the session.`,
    ),
    modelWindowOverrides: numbersByName('CONTEXT_MODEL_WINDOWS', 'model', 'tokens', [1_000, MAX_SETTING_VALUE]).means(
      'Context window of a model, instead of the published or detected one. Ollama loads its models with it.',
    ),
    shareLocalModels: toggle('LOCAL_SHARE_MODELS', false).means(
      'true if other programs use models of the same Ollama: no context length is sent to it, so that it does not reload a model for each program. The window is then the one that Ollama reports after a request.',
    ),
    localParallelRequests: wholeNumber('LOCAL_PARALLEL_REQUESTS', 'requests', 0, [0, 100]).means(
      'Requests that a local model server gets at the same time. 0: one for llama.cpp and llama-cpp-python, no limit for others, which have their own queue.',
    ),
  },
  limits: {
    outputReserve: tokens('CONTEXT_OUTPUT_RESERVE', 4_096, [1, MAX_SETTING_VALUE]).means(
      "Kept free for the answer; at most a quarter of the window and the model's maximum output.",
    ),
    maxContextTokens: tokens('CONTEXT_MAX_TOKENS', 200_000, [1_000, MAX_SETTING_VALUE]).means(
      'Largest part of a window that is used: longer requests cost more, and models read them less well. Smaller windows are used fully.',
    ),
  },
  budgets: {
    monthBudget: budget('BUDGET_MONTH', 'What all models together may cost in a calendar month (UTC).'),
    personBudget: budget('BUDGET_PERSON', 'What models may cost for one person in a calendar month (UTC).'),
    conversationBudget: budget('BUDGET_CONVERSATION', 'What models may cost in one conversation.'),
  },
  steps: {
    maxSteps: wholeNumber('MAX_STEPS', 'model calls per turn', 50, [1, 1_000]).means(
      'A turn that asks for more is ended, after the assistant has said what is done and what is left.',
    ),
    turnTimeLimitMs: wholeNumber('TURN_TIME_LIMIT_MS', 'milliseconds', 15 * 60_000, [1, 24 * HOUR_MS], 'minutes').means(
      'A turn that takes longer is ended, after the assistant has said what is done and what is left.',
    ),
  },
  strategies: {
    strategy: choice('CONTEXT_STRATEGY', strategyNames, 'reactive-overflow').means(
      'Decides when and how to compact; a request may name another.',
    ),
    autoCompact: toggle('CONTEXT_AUTO_COMPACT', true).means(
      "Compact automatically. If off, only a provider's overflow error triggers a compaction.",
    ),
    backgroundSummaries: toggle('CONTEXT_BACKGROUND_SUMMARIES', true).means(
      'Prepare the next summary while the user reads.',
    ),
    proactiveThreshold: threshold('CONTEXT_PROACTIVE_THRESHOLD', 'proactive-threshold', 0.5),
    middleRemovalThreshold: threshold('CONTEXT_MIDDLE_REMOVAL_THRESHOLD', 'middle-removal', 0.8),
    pruningAgentThreshold: threshold('CONTEXT_PRUNING_AGENT_THRESHOLD', 'pruning-agent', 0.8),
    pruningAgentModel: modelId('CONTEXT_PRUNING_AGENT_MODEL', SAME_MODEL).means(
      `Model that the strategy pruning-agent calls; \`${SAME_MODEL}\` is the model of the session.`,
      'pruning-agent',
    ),
  },
  pruning: {
    pruneProtect: tokens('CONTEXT_PRUNE_PROTECT', 40_000, [0, MAX_SETTING_VALUE]).means(
      'The newest tool outputs that are never cleared; at most a third of the window.',
    ),
    pruneMinimum: tokens('CONTEXT_PRUNE_MINIMUM', 20_000, [0, MAX_SETTING_VALUE]).means(
      'Smallest saving for which old tool outputs are cleared; at most a sixth of the window.',
    ),
    minTurnsToKeep: wholeNumber('CONTEXT_MIN_TURNS_TO_KEEP', 'turns', 2, [1, 100]).means(
      'Newest turns whose tool outputs are never cleared and that a compaction keeps if they fit.',
    ),
  },
  tools: {
    toolPolicies: choiceByTool('TOOL_POLICIES', toolPolicyNames).means(
      'Whether a tool runs without approval (always), only after approval (ask), or not at all (off). Default: ask for tools that publish, unpublish, delete or change the menu or the settings; always for the others.',
    ),
    toolBulkLimit: wholeNumber('TOOL_BULK_LIMIT', 'things', 5, [1, MAX_SETTING_VALUE]).means(
      'Number of different things that a turn may change without approval. Further calls ask first, except for tools that toolPolicies sets to always.',
    ),
    toolExecution: choice('TOOL_EXECUTION', ['sequential', 'parallel'], 'sequential').means(
      'How the tool calls of one step run. parallel: those that only read run at the same time, one that writes alone.',
    ),
    toolTimeoutMs: wholeNumber('TOOL_TIMEOUT_MS', 'milliseconds', 60_000, [1, HOUR_MS], 'seconds').means(
      'A tool that takes longer is stopped, and its result is an error.',
    ),
    toolMaxOutputChars: characters('TOOL_MAX_OUTPUT_CHARS', 30_000, [100, MAX_SETTING_VALUE]).means(
      'One tool output, for tools that set no limit of their own.',
    ),
    toolOutputChars: numbersByName('TOOL_OUTPUT_CHARS', 'tool', 'characters', [100, MAX_SETTING_VALUE]).means(
      'One output of a tool named here; replaces its own limit and toolMaxOutputChars.',
    ),
    toolOutputLimit: characters('TOOL_OUTPUT_LIMIT', 120_000, [100, MAX_SETTING_VALUE]).means(
      'All tool results of one step together.',
    ),
  },
  definitions: {
    toolDefinitionsLimit: tokens('TOOL_DEFINITIONS_LIMIT', 2_000, [200, MAX_SETTING_VALUE]).means(
      'Definitions of the tools of all tool servers together, at most a tenth of the usable tokens of a model; above this limit they are loaded on demand.',
    ),
  },
  visitors: {
    siteAliases: origins(
      'SITE_ALIASES',
      'Other addresses of the published site, as https://www.kiln.example: from there visitors are led on to the same page under SITE_URL.',
    ),
  },
} as const satisfies Record<SettingGroup, object>;
