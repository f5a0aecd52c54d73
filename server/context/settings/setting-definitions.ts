import { z } from 'zod';
import { parseOrigins } from '#server/core/addresses';
import { type StrategyName, strategyNames } from '#server/core/compactions';
import { type SettingGroup, type SettingInput, toolPolicyNames } from '#server/core/settings-report';

/** One setting of the engine: what it may be, how the environment spells it, and what a person reads about it. */
export interface Setting<T> {
  readonly variable: string;
  readonly unit: string;
  readonly range: string;
  readonly meaning: string;
  readonly input: SettingInput;
  readonly default: T;
  readonly schema: z.ZodType<T>;
  readonly textSchema: z.ZodType<T, string>;
  /** Writes it as the environment's text; empty where nothing is set. */
  toText(this: void, value: T): string;
}

type Range = readonly [min: number, max: number];

/** A setting, once it is said what it means to a person. */
const setting = <T>(facts: Omit<Setting<T>, 'meaning'>) => ({
  means: (meaning: string): Setting<T> => ({ ...facts, meaning }),
});

/** Largest number of tokens or characters that any setting accepts. */
export const MANY = 100_000_000;

const spelled = ([min, max]: Range) => `${min.toLocaleString('en-US')} to ${max.toLocaleString('en-US')}`;

const numeric =
  (whole: boolean) =>
  (variable: string, unit: string, value: number, [min, max]: Range) => {
    const range = spelled([min, max]);
    const error = `must be a ${whole ? 'whole ' : ''}number from ${range}`;
    const schema = (whole ? z.int(error) : z.number(error)).min(min, error).max(max, error);
    const text = z.string().regex(whole ? /^\d{1,15}$/ : /^\d{1,9}(\.\d{1,9})?$/, error);
    const textSchema = text.transform(Number).pipe(schema);
    const input = { kind: 'number', min, max, whole } as const;
    return setting({ variable, unit, default: value, range, input, schema, textSchema, toText: String });
  };

/** A number without a fraction: tokens, characters, turns. */
export const wholeNumber = numeric(true);
/** A number that may have a fraction: a share, a factor. */
export const fraction = numeric(false);

function toggle(variable: string, value: boolean) {
  const error = 'must be true or false';
  const schema = z.boolean(error);
  const textSchema = z.enum(['true', 'false'], error).transform((text) => text === 'true');
  const facts = { variable, default: value, unit: '', range: 'true, false', input: { kind: 'toggle' } } as const;
  return setting({ ...facts, schema, textSchema, toText: String });
}

function choice<const Name extends string>(variable: string, names: readonly Name[], value: NoInfer<Name>) {
  const range = names.join(', ');
  const schema = z.enum(names, `must be one of: ${range}`);
  const facts = { variable, default: value, unit: '', range, input: { kind: 'choice', names } } as const;
  return setting<Name>({ ...facts, schema, textSchema: z.string().pipe(schema), toText: String });
}

const MAX_MODEL_ID_LENGTH = 200;
const modelIdSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_MODEL_ID_LENGTH, `must be a model id of at most ${MAX_MODEL_ID_LENGTH} characters`)
  .regex(/^[^\p{C}\p{Z}]*$/u, 'must be a model id: no spaces and no control or invisible characters');

/** The id of a model, or the word that stands for one, which is its default. */
function modelId(variable: string, word: string) {
  const range = `1 to ${MAX_MODEL_ID_LENGTH} characters`;
  const facts = { variable, default: word, unit: 'model id', range, input: { kind: 'model', word } } as const;
  const [schema, textSchema] = [modelIdSchema, z.string().pipe(modelIdSchema)];
  return setting({ ...facts, schema, textSchema, toText: String });
}

const MAX_ORIGINS = 20;

/** Origins, separated by commas; none by default. */
function origins(variable: string, meaning: string): Setting<string> {
  const error = `must be at most ${MAX_ORIGINS} origins like https://www.kiln.example, separated by commas`;
  const read = (text: string) => (text === '' ? [] : parseOrigins(text));
  const schema = z.string(error).refine((text) => (read(text)?.length ?? Infinity) <= MAX_ORIGINS, error);
  const facts = { variable, meaning, unit: 'origins', range: `up to ${MAX_ORIGINS}`, default: '' };
  return { ...facts, input: { kind: 'origins' }, schema, textSchema: z.string().pipe(schema), toText: String };
}

const MAX_PAIRS = 200;

/** One value for each of some models or tools; the environment writes `key=value, key=value`. */
function byName<Value extends number | string>(
  facts: Pick<Setting<unknown>, 'variable' | 'unit' | 'range' | 'input'>,
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
  // Whole numbers are read as such; what else is written is for the schema to judge.
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

/** A whole number, tokens or characters, for each of some models or tools. */
function numbersByName(variable: string, of: 'model' | 'tool', unit: string, [min, max]: Range) {
  const by = of === 'model' ? 'model id' : 'tool name';
  const range = spelled([min, max]);
  const error = `must be whole numbers of ${unit} from ${range} by ${by}`;
  const value = z.int(error).min(min, error).max(max, error);
  const input = { kind: 'numbers', of, min, max } as const;
  return byName({ variable, unit: `${unit} by ${by}`, range: `${range} each`, input }, of, value, error, unit);
}

/** One of a few names for each of some tools. */
function choiceByTool<const Name extends string>(variable: string, names: readonly Name[]) {
  const range = names.join(', ');
  const error = `must be one of ${range} by tool name`;
  const value = z.enum(names, error) as unknown as z.ZodType<Name>;
  const facts = { variable, unit: 'by tool name', range: `${range} each`, input: { kind: 'choices', names } } as const;
  return byName(facts, 'tool', value, error, 'ask');
}

/** In `defaultModel`: the best that the configured providers have. */
export const AUTO_MODEL = '__auto__';
/** In other settings that name a model: the model of the session. */
export const SAME_MODEL = '__same__';

const HOUR_MS = 3_600_000;

/** Share of the window above which a strategy compacts. */
const threshold = (variable: string, strategy: StrategyName, share: number) =>
  fraction(variable, 'of the window', share, [0.1, 0.95]).means(`The strategy ${strategy} compacts above this.`);

/** An amount of money that is not to be exceeded; what then still runs comes on top. */
const budget = (variable: string, meaning: string) =>
  fraction(variable, 'US dollars', 0, [0, 100_000_000]).means(
    `${meaning} At 80 % the chat says so, at 100 % no paid model is asked. 0: no limit.`,
  );

/** The settings that a person changes, in the order of their page; schema, environment and docs are made from this. */
export const settingGroups = {
  models: {
    defaultModel: modelId('DEFAULT_MODEL', AUTO_MODEL).means(
      `Model of sessions that name none; \`${AUTO_MODEL}\` is the recommended model of the connected services, else the basic assistant.`,
    ),
    compactionModel: modelId('COMPACTION_MODEL', SAME_MODEL).means(
      `Model that writes the summaries; \`${SAME_MODEL}\` is the model of the session.`,
    ),
    pictureModel: modelId('PICTURE_MODEL', SAME_MODEL).means(
      `Model that looks at pictures for the assistant, which is then sent none itself; \`${SAME_MODEL}\` is the model of the session.`,
    ),
    pruningAgentModel: modelId('CONTEXT_PRUNING_AGENT_MODEL', SAME_MODEL).means(
      `The model that pruning-agent asks; \`${SAME_MODEL}\` is the model of the session.`,
    ),
    modelWindowOverrides: numbersByName('CONTEXT_MODEL_WINDOWS', 'model', 'tokens', [1_000, MANY]).means(
      'The context window of a model whose published one is not known or not wanted.',
    ),
  },
  limits: {
    outputReserve: wholeNumber('CONTEXT_OUTPUT_RESERVE', 'tokens', 4_096, [1, MANY]).means(
      "Kept free for the answer; at most a quarter of the window and the model's maximum output.",
    ),
    maxContextTokens: wholeNumber('CONTEXT_MAX_TOKENS', 'tokens', 200_000, [1_000, MANY]).means(
      'The most of a window that is used: a longer request costs more and is read worse. A model with a smaller window has all of it.',
    ),
  },
  budgets: {
    monthBudget: budget('BUDGET_MONTH', 'What models may cost all together in a calendar month (UTC).'),
    personBudget: budget('BUDGET_PERSON', 'What models may cost for one person in a calendar month (UTC).'),
    conversationBudget: budget('BUDGET_CONVERSATION', 'What models may cost in one conversation.'),
  },
  steps: {
    maxSteps: wholeNumber('MAX_STEPS', 'model calls per turn', 50, [1, 1_000]).means(
      'A turn that asks for more is ended, after the assistant has said what is done and what is left.',
    ),
    turnTimeLimitMs: wholeNumber('TURN_TIME_LIMIT_MS', 'milliseconds', 15 * 60_000, [1, 24 * HOUR_MS]).means(
      'A turn that takes longer is ended, after the assistant has said what is done and what is left.',
    ),
  },
  strategies: {
    strategy: choice('CONTEXT_STRATEGY', strategyNames, 'reactive-overflow').means(
      'Decides when and how to compact; a request may name another.',
    ),
    autoCompact: toggle('CONTEXT_AUTO_COMPACT', true).means(
      "Compact without being asked. Where it is off, only a provider's overflow error still compacts.",
    ),
    backgroundSummaries: toggle('CONTEXT_BACKGROUND_SUMMARIES', true).means(
      'Prepare the next summary while the user reads.',
    ),
    proactiveThreshold: threshold('CONTEXT_PROACTIVE_THRESHOLD', 'proactive-threshold', 0.5),
    middleRemovalThreshold: threshold('CONTEXT_MIDDLE_REMOVAL_THRESHOLD', 'middle-removal', 0.8),
    pruningAgentThreshold: threshold('CONTEXT_PRUNING_AGENT_THRESHOLD', 'pruning-agent', 0.8),
  },
  pruning: {
    pruneProtect: wholeNumber('CONTEXT_PRUNE_PROTECT', 'tokens', 40_000, [0, MANY]).means(
      'The newest tool outputs that are never cleared; at most a third of the window.',
    ),
    pruneMinimum: wholeNumber('CONTEXT_PRUNE_MINIMUM', 'tokens', 20_000, [0, MANY]).means(
      'Clearing old tool outputs must save this to be worth it; at most a sixth of the window.',
    ),
    minTurnsToKeep: wholeNumber('CONTEXT_MIN_TURNS_TO_KEEP', 'turns', 2, [1, 100]).means(
      'Newest turns whose tool outputs are never cleared and that a compaction keeps if they fit.',
    ),
  },
  tools: {
    toolPolicies: choiceByTool('TOOL_POLICIES', toolPolicyNames).means(
      'Whether a tool runs by itself (always), only if the user agrees (ask), or not at all (off). Of tools that are not named, those ask that publish, take off the site, delete or change the menu or the settings; the others run.',
    ),
    toolBulkLimit: wholeNumber('TOOL_BULK_LIMIT', 'things', 5, [1, MANY]).means(
      'Calls that would bring what a turn changes without asking above this many different things ask first, but for tools that toolPolicies lets run always.',
    ),
    toolExecution: choice('TOOL_EXECUTION', ['sequential', 'parallel'], 'sequential').means(
      'How the tool calls of one step run. parallel: those that only read run at the same time, one that writes alone.',
    ),
    toolTimeoutMs: wholeNumber('TOOL_TIMEOUT_MS', 'milliseconds', 60_000, [1, HOUR_MS]).means(
      'A tool that takes longer is stopped; its result says so.',
    ),
    toolMaxOutputChars: wholeNumber('TOOL_MAX_OUTPUT_CHARS', 'characters', 30_000, [100, MANY]).means(
      'One tool output, for tools that set no limit of their own.',
    ),
    toolOutputChars: numbersByName('TOOL_OUTPUT_CHARS', 'tool', 'characters', [100, MANY]).means(
      'One output of a tool named here, in the place of its own limit and of toolMaxOutputChars.',
    ),
    toolOutputLimit: wholeNumber('TOOL_OUTPUT_LIMIT', 'characters', 120_000, [100, MANY]).means(
      'All tool results of one step together.',
    ),
    toolDefinitionsLimit: wholeNumber('TOOL_DEFINITIONS_LIMIT', 'tokens', 2_000, [200, MANY]).means(
      'Definitions of the tools of all tool servers together, at most a tenth of what a model can use; above it they are loaded on demand.',
    ),
  },
  visitors: {
    siteAliases: origins(
      'SITE_ALIASES',
      'Other addresses of the published site, as https://www.kiln.example: from there visitors are led on to the same page under SITE_URL.',
    ),
  },
} as const satisfies Record<SettingGroup, object>;
