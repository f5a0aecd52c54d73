import { z } from 'zod';
import type { DisplayUnit } from '#server/core/admin/display-units';
import type { ServerText } from '#server/core/coded-message';
import { serverText, type UnitName } from '#server/core/messages/server-text';
import { parseJson } from '#server/core/json';
import { parseOrigins } from '#server/core/origins';
import {
  hasAnswerShare,
  type ProgramCompactionByProvider,
  programCompactionDefaults,
  programCompactionRanges,
  type ProgramCompactionRules,
} from '#server/core/admin/program-compaction';
import { connectableIds } from '#server/core/admin/provider-names';
import { type StrategyName, strategyNames } from '#server/core/admin/strategy-names';
import { type SettingGroup, type SettingInput, toolPolicyNames } from '#server/core/admin/settings-report';

/** Unit of a setting; empty: it has none. Its text for people is a message. */
type Unit = UnitName | '';

/** How a setting is named and entered. */
interface SettingForm {
  readonly variable: string;
  readonly unit: Unit;
  readonly range: string;
  readonly input: SettingInput;
  /** What its value must be, as the end of a sentence that begins with its name. */
  readonly rule: ServerText;
}

/**
 * One setting of the engine: its valid values, and its form in the environment. Its description for people is a message:
 * `server.setting` in messages/en.json.
 */
export interface Setting<T> extends SettingForm {
  readonly default: T;
  readonly schema: z.ZodType<T>;
  readonly textSchema: z.ZodType<T, string>;
  /** Formats the value as text for the environment; empty if nothing is set. */
  toText(this: void, value: T): string;
  /** Strategy without which it has no effect; null: it always has. */
  readonly strategy: StrategyName | null;
}

/** Smallest and largest allowed number. */
type Range = readonly [min: number, max: number];

/** A setting that always has an effect. */
const setting = <T>(facts: Omit<Setting<T>, 'strategy'>): Setting<T> => ({ ...facts, strategy: null });

/** The setting of one strategy: without that strategy it has no effect. */
const ofStrategy = <T>(strategy: StrategyName, of: Setting<T>): Setting<T> => ({ ...of, strategy });

/** Largest number of tokens or characters that any setting accepts. */
export const MAX_SETTING_VALUE = 100_000_000;

/** A range for people. */
const spelled = ([min, max]: Range) => `${min.toLocaleString('en-US')} to ${max.toLocaleString('en-US')}`;

/** Builds settings that are numbers. */
const numeric =
  (whole: boolean) =>
  (variable: string, unit: Unit, value: number, [min, max]: Range, displayUnit: DisplayUnit = 'number') => {
    const range = spelled([min, max]);
    const rule = serverText('setting-number', { isWhole: whole, min, max });
    const error = rule.text;
    const schema = (whole ? z.int(error) : z.number(error)).min(min, error).max(max, error);
    const text = z.string().regex(whole ? /^\d{1,15}$/ : /^\d{1,9}(\.\d{1,9})?$/, error);
    const textSchema = text.transform(Number).pipe(schema);
    const input = { kind: 'number', min, max, whole, displayUnit } as const;
    return setting({ variable, unit, default: value, range, input, rule, schema, textSchema, toText: String });
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
  const rule = serverText('setting-toggle');
  const error = rule.text;
  const schema = z.boolean(error);
  const textSchema = z.enum(['true', 'false'], error).transform((text) => text === 'true');
  const facts = { variable, default: value, unit: '', range: 'true, false', input: { kind: 'toggle' } } as const;
  return setting({ ...facts, rule, schema, textSchema, toText: String });
}

/** One of several names. */
function choice<const Name extends string>(variable: string, names: readonly Name[], value: NoInfer<Name>) {
  const range = names.join(', ');
  const rule = serverText('setting-choice', { names: range });
  const schema = z.enum(names, rule.text);
  const facts = { variable, default: value, unit: '', range, input: { kind: 'choice', names } } as const;
  return setting<Name>({ ...facts, rule, schema, textSchema: z.string().pipe(schema), toText: String });
}

/** Maximum characters of the id of a model. */
const MAX_MODEL_ID_LENGTH = 200;
const modelIdRule = serverText('setting-model-id', { max: MAX_MODEL_ID_LENGTH });
const modelIdSchema = z
  .string(modelIdRule.text)
  .min(1, modelIdRule.text)
  .max(MAX_MODEL_ID_LENGTH, modelIdRule.text)
  .regex(/^[^\p{C}\p{Z}]*$/u, modelIdRule.text);

/** The id of a model, or the keyword that represents one, which is the default. */
function modelId(variable: string, word: string) {
  const range = `1 to ${MAX_MODEL_ID_LENGTH} characters`;
  const facts = { variable, default: word, unit: 'model id', range, input: { kind: 'model', word } } as const;
  const [schema, textSchema] = [modelIdSchema, z.string().pipe(modelIdSchema)];
  return setting({ ...facts, rule: modelIdRule, schema, textSchema, toText: String });
}

/** Maximum number of origins in one setting. */
const MAX_ORIGINS = 20;

/** Origins, separated by commas; none by default. */
function origins(variable: string): Setting<string> {
  const rule = serverText('setting-origins', { max: MAX_ORIGINS });
  const error = rule.text;
  const read = (text: string) => (text === '' ? [] : parseOrigins(text));
  const schema = z.string(error).refine((text) => (read(text)?.length ?? Infinity) <= MAX_ORIGINS, error);
  const facts = { variable, unit: 'origins', range: `up to ${MAX_ORIGINS}`, default: '' } as const;
  const textSchema = z.string().pipe(schema);
  return setting({ ...facts, input: { kind: 'origins' }, rule, schema, textSchema, toText: String });
}

/** Maximum number of models or tools that one setting names. */
const MAX_PAIRS = 200;

/** One value for each of several models or tools; the environment uses `key=value, key=value`. */
function byName<Value extends number | string>(
  facts: SettingForm,
  of: 'model' | 'tool',
  value: z.ZodType<Value>,
  example: string,
) {
  const error = facts.rule.text;
  const key = of === 'model' ? modelIdSchema : z.string().regex(/^[\w-]{1,100}$/, error);
  const schema = z.record(key, value, error).refine((pairs) => Object.keys(pairs).length <= MAX_PAIRS, error);
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
function numbersByName(variable: string, of: 'model' | 'tool', [min, max]: Range) {
  const unit = of === 'model' ? 'tokens by model id' : 'characters by tool name';
  const range = spelled([min, max]);
  const rule = serverText('setting-numbers', { of, min, max, most: MAX_PAIRS });
  const error = rule.text;
  const value = z.int(error).min(min, error).max(max, error);
  const displayUnit = of === 'model' ? 'thousand-tokens' : 'thousand-characters';
  const input = { kind: 'numbers', of, min, max, displayUnit } as const;
  const example = of === 'model' ? 'tokens' : 'characters';
  return byName({ variable, unit, range: `${range} each`, input, rule }, of, value, example);
}

/** One of several names for each of several tools. */
function choiceByTool<const Name extends string>(variable: string, names: readonly Name[]) {
  const range = names.join(', ');
  const rule = serverText('setting-choices', { names: range, most: MAX_PAIRS });
  const value = z.enum(names, rule.text) as unknown as z.ZodType<Name>;
  const input = { kind: 'choices', names } as const;
  return byName({ variable, unit: 'by tool name', range: `${range} each`, input, rule }, 'tool', value, 'ask');
}

/** How conversations of other programs are compacted, by provider; the environment uses JSON. */
function programCompaction(variable: string): Setting<ProgramCompactionByProvider> {
  const { compactAt, endAt } = programCompactionRanges;
  const rule = serverText('setting-programs', {
    providers: connectableIds.join(', '),
    strategies: strategyNames.join(', '),
  });
  const error = rule.text;
  const share = ({ min, max }: { readonly min: number; readonly max: number }) =>
    z.number(error).min(min, error).max(max, error).optional();
  const rules = z
    .strictObject(
      {
        strategy: z.enum(strategyNames, error).optional(),
        compactAt: share(compactAt),
        endAt: share(endAt),
        pruningAgentModel: modelIdSchema.optional(),
      },
      error,
    )
    .refine((given) => hasAnswerShare(given as ProgramCompactionRules), error);
  const byProvider = z.partialRecord(z.enum(connectableIds), rules, error);
  // An absent property is never present as undefined.
  const schema = byProvider as unknown as z.ZodType<ProgramCompactionByProvider>;
  const input = {
    kind: 'programs',
    strategies: [...strategyNames],
    strategy: programCompactionDefaults.strategy,
    compactAt: { ...compactAt, default: programCompactionDefaults.compactAt },
    endAt: { ...endAt, default: programCompactionDefaults.endAt },
  } as const;
  return setting<ProgramCompactionByProvider>({
    variable,
    unit: 'by provider',
    range: 'JSON',
    default: {},
    input,
    rule,
    schema,
    textSchema: z.string().transform(parseJson).pipe(schema),
    toText: (value) => (Object.keys(value).length === 0 ? '' : JSON.stringify(value)),
  });
}

/** Value of `defaultModel`: the best model of the configured providers. */
export const AUTO_MODEL = '__auto__';
/** Value of other settings that name a model: the model of the session. */
export const SAME_MODEL = '__same__';

const HOUR_MS = 3_600_000;

/** Share of the window above which a strategy compacts. */
const threshold = (variable: string, strategy: StrategyName, share: number) =>
  ofStrategy(strategy, fraction(variable, 'of the window', share, [0.1, 0.95], 'percent'));

/** An amount of money that should not be exceeded; the cost of work still running when it is reached is added to it. */
const budget = (variable: string) => fraction(variable, 'US dollars', 0, [0, 100_000_000], 'dollars');

/**
 * The settings that people can change, in the order of their page; the schema, the environment variables and the docs
 * are generated from this.
 */
export const settingGroups = {
  models: {
    defaultModel: modelId('DEFAULT_MODEL', AUTO_MODEL),
    compactionModel: modelId('COMPACTION_MODEL', SAME_MODEL),
    pictureModel: modelId('PICTURE_MODEL', SAME_MODEL),
    modelWindowOverrides: numbersByName('CONTEXT_MODEL_WINDOWS', 'model', [1_000, MAX_SETTING_VALUE]),
    shareLocalModels: toggle('LOCAL_SHARE_MODELS', false),
    localParallelRequests: wholeNumber('LOCAL_PARALLEL_REQUESTS', 'requests', 0, [0, 100]),
  },
  programs: {
    programCompaction: programCompaction('CONTEXT_PROGRAMS'),
  },
  limits: {
    outputReserve: tokens('CONTEXT_OUTPUT_RESERVE', 4_096, [1, MAX_SETTING_VALUE]),
    maxContextTokens: tokens('CONTEXT_MAX_TOKENS', 200_000, [1_000, MAX_SETTING_VALUE]),
  },
  budgets: {
    monthBudget: budget('BUDGET_MONTH'),
    personBudget: budget('BUDGET_PERSON'),
    conversationBudget: budget('BUDGET_CONVERSATION'),
  },
  steps: {
    maxSteps: wholeNumber('MAX_STEPS', 'model calls per turn', 50, [1, 1_000]),
    turnTimeLimitMs: wholeNumber('TURN_TIME_LIMIT_MS', 'milliseconds', 15 * 60_000, [1, 24 * HOUR_MS], 'minutes'),
  },
  strategies: {
    strategy: choice('CONTEXT_STRATEGY', strategyNames, 'reactive-overflow'),
    autoCompact: toggle('CONTEXT_AUTO_COMPACT', true),
    backgroundSummaries: toggle('CONTEXT_BACKGROUND_SUMMARIES', true),
    proactiveThreshold: threshold('CONTEXT_PROACTIVE_THRESHOLD', 'proactive-threshold', 0.5),
    middleRemovalThreshold: threshold('CONTEXT_MIDDLE_REMOVAL_THRESHOLD', 'middle-removal', 0.8),
    pruningAgentThreshold: threshold('CONTEXT_PRUNING_AGENT_THRESHOLD', 'pruning-agent', 0.8),
    pruningAgentModel: ofStrategy('pruning-agent', modelId('CONTEXT_PRUNING_AGENT_MODEL', SAME_MODEL)),
  },
  pruning: {
    pruneProtect: tokens('CONTEXT_PRUNE_PROTECT', 40_000, [0, MAX_SETTING_VALUE]),
    pruneMinimum: tokens('CONTEXT_PRUNE_MINIMUM', 20_000, [0, MAX_SETTING_VALUE]),
    minTurnsToKeep: wholeNumber('CONTEXT_MIN_TURNS_TO_KEEP', 'turns', 2, [1, 100]),
  },
  tools: {
    toolPolicies: choiceByTool('TOOL_POLICIES', toolPolicyNames),
    toolBulkLimit: wholeNumber('TOOL_BULK_LIMIT', 'things', 5, [1, MAX_SETTING_VALUE]),
    toolExecution: choice('TOOL_EXECUTION', ['sequential', 'parallel'], 'sequential'),
    toolTimeoutMs: wholeNumber('TOOL_TIMEOUT_MS', 'milliseconds', 60_000, [1, HOUR_MS], 'seconds'),
    toolMaxOutputChars: characters('TOOL_MAX_OUTPUT_CHARS', 30_000, [100, MAX_SETTING_VALUE]),
    toolOutputChars: numbersByName('TOOL_OUTPUT_CHARS', 'tool', [100, MAX_SETTING_VALUE]),
    toolOutputLimit: characters('TOOL_OUTPUT_LIMIT', 120_000, [100, MAX_SETTING_VALUE]),
  },
  definitions: {
    toolDefinitionsLimit: tokens('TOOL_DEFINITIONS_LIMIT', 2_000, [200, MAX_SETTING_VALUE]),
  },
  visitors: {
    siteAliases: origins('SITE_ALIASES'),
  },
} as const satisfies Record<SettingGroup, object>;
