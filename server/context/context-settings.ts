import { z } from 'zod';
import { strategyNames } from '#server/core/strategies';
import {
  choice,
  fraction,
  MANY,
  modelId,
  type Setting,
  toggle,
  tokensByModel,
  wholeNumber,
} from '#server/context/setting-kinds';

/** In `pruningAgentModel`: the model of the session. */
export const SAME_MODEL = '__same__';

/**
 * Every number and choice of the engine, in one place: default, unit, range, meaning and the name of its environment
 * variable. The schema, the environment, the settings page and the table in docs/configuration.md are made from this.
 */
export const settingDefinitions = {
  outputReserve: wholeNumber({
    variable: 'CONTEXT_OUTPUT_RESERVE',
    unit: 'tokens',
    default: 4_096,
    min: 1,
    max: MANY,
    meaning: "Kept free for the answer; at most a quarter of the window and the model's maximum output.",
  }),
  usableShare: fraction({
    variable: 'CONTEXT_USABLE_SHARE',
    unit: 'of the window',
    default: 0.85,
    min: 0.3,
    max: 0.95,
    meaning: 'A request may fill this much, and never the output reserve; above it is an overflow.',
  }),
  realTimeShare: fraction({
    variable: 'CONTEXT_REAL_TIME_SHARE',
    unit: 'of the window',
    default: 0.9,
    min: 0.5,
    max: 0.98,
    meaning: 'A step that streams is ended cleanly once request and output together reach this.',
  }),
  targetShare: fraction({
    variable: 'CONTEXT_TARGET_SHARE',
    unit: 'of usable',
    default: 0.5,
    min: 0.1,
    max: 0.9,
    meaning: 'A compaction aims at this share of what instructions and tool schemas leave of usable.',
  }),
  softLimitShare: fraction({
    variable: 'CONTEXT_SOFT_LIMIT_SHARE',
    unit: 'of usable',
    default: 0.7,
    min: 0.2,
    max: 1,
    meaning: 'A turn that ends above this has the next summary prepared in the background.',
  }),
  strategy: choice({
    variable: 'CONTEXT_STRATEGY',
    names: strategyNames,
    default: 'reactive-overflow',
    meaning: 'Decides when and how to compact; a request may name another.',
  }),
  proactiveThreshold: fraction({
    variable: 'CONTEXT_PROACTIVE_THRESHOLD',
    unit: 'of the window',
    default: 0.5,
    min: 0.1,
    max: 0.95,
    meaning: 'The strategy proactive-threshold compacts above this.',
  }),
  proactiveKeepShare: fraction({
    variable: 'CONTEXT_PROACTIVE_KEEP_SHARE',
    unit: 'of the tokens',
    default: 0.3,
    min: 0.05,
    max: 0.9,
    meaning: 'The newest share of the conversation that proactive-threshold keeps as it is.',
  }),
  middleRemovalThreshold: fraction({
    variable: 'CONTEXT_MIDDLE_REMOVAL_THRESHOLD',
    unit: 'of the window',
    default: 0.8,
    min: 0.1,
    max: 0.95,
    meaning: 'The strategy middle-removal compacts above this.',
  }),
  pruningAgentThreshold: fraction({
    variable: 'CONTEXT_PRUNING_AGENT_THRESHOLD',
    unit: 'of the window',
    default: 0.8,
    min: 0.1,
    max: 0.95,
    meaning: 'The strategy pruning-agent compacts above this.',
  }),
  pruningAgentModel: modelId({
    variable: 'CONTEXT_PRUNING_AGENT_MODEL',
    default: SAME_MODEL,
    meaning: `The model that pruning-agent asks; \`${SAME_MODEL}\` is the model of the session.`,
  }),
  autoCompact: toggle({
    variable: 'CONTEXT_AUTO_COMPACT',
    default: true,
    meaning: "Compact without being asked. Where it is off, only a provider's overflow error still compacts.",
  }),
  backgroundSummaries: toggle({
    variable: 'CONTEXT_BACKGROUND_SUMMARIES',
    default: true,
    meaning: 'Prepare the next summary while the user reads.',
  }),
  pruneProtect: wholeNumber({
    variable: 'CONTEXT_PRUNE_PROTECT',
    unit: 'tokens',
    default: 40_000,
    min: 0,
    max: MANY,
    meaning: 'The newest tool outputs that are never cleared; at most a third of the window.',
  }),
  pruneMinimum: wholeNumber({
    variable: 'CONTEXT_PRUNE_MINIMUM',
    unit: 'tokens',
    default: 20_000,
    min: 0,
    max: MANY,
    meaning: 'Clearing old tool outputs must save this to be worth it; at most a sixth of the window.',
  }),
  minTurnsToKeep: wholeNumber({
    variable: 'CONTEXT_MIN_TURNS_TO_KEEP',
    unit: 'turns',
    default: 2,
    min: 1,
    max: 100,
    meaning: 'Newest turns whose tool outputs are never cleared and that a compaction keeps if they fit.',
  }),
  inputExcerptChars: wholeNumber({
    variable: 'CONTEXT_INPUT_EXCERPT_CHARS',
    unit: 'characters',
    default: 400,
    min: 50,
    max: MANY,
    meaning: 'What pruning leaves of a long text in the input of an old tool call.',
  }),
  summaryMaxTokens: wholeNumber({
    variable: 'CONTEXT_SUMMARY_MAX_TOKENS',
    unit: 'tokens',
    default: 8_000,
    min: 200,
    max: MANY,
    meaning: "A whole summary: narrative, ledger and the user's words; never more than the target leaves.",
  }),
  narrativeMaxTokens: wholeNumber({
    variable: 'CONTEXT_NARRATIVE_MAX_TOKENS',
    unit: 'tokens',
    default: 2_000,
    min: 100,
    max: MANY,
    meaning: 'What the model may write for a summary.',
  }),
  summaryTemperature: fraction({
    variable: 'CONTEXT_SUMMARY_TEMPERATURE',
    unit: '',
    default: 0.3,
    min: 0,
    max: 2,
    meaning: 'Temperature of the model that writes the summary.',
  }),
  breakerAttempts: wholeNumber({
    variable: 'CONTEXT_BREAKER_ATTEMPTS',
    unit: 'compactions',
    default: 2,
    min: 1,
    max: 20,
    meaning: 'After this many in a row that gained too little, automatic compaction stops for the session.',
  }),
  breakerMinimumGain: fraction({
    variable: 'CONTEXT_BREAKER_MINIMUM_GAIN',
    unit: 'of the tokens',
    default: 0.1,
    min: 0,
    max: 0.9,
    meaning: 'A compaction that saves less gained too little.',
  }),
  maxContinuations: wholeNumber({
    variable: 'CONTEXT_MAX_CONTINUATIONS',
    unit: 'per turn',
    default: 3,
    min: 0,
    max: 20,
    meaning: 'How often an answer cut at the real-time limit is continued after a compaction.',
  }),
  toolOutputLimit: wholeNumber({
    variable: 'TOOL_OUTPUT_LIMIT',
    unit: 'characters',
    default: 120_000,
    min: 100,
    max: MANY,
    meaning: 'All tool results of one step together.',
  }),
  toolMaxOutputChars: wholeNumber({
    variable: 'TOOL_MAX_OUTPUT_CHARS',
    unit: 'characters',
    default: 30_000,
    min: 100,
    max: MANY,
    meaning: 'One tool output, for tools that set no limit of their own.',
  }),
  maxLines: wholeNumber({
    variable: 'TOOL_MAX_LINES',
    unit: 'lines',
    default: 2_000,
    min: 10,
    max: MANY,
    meaning: 'Lines of one tool output.',
  }),
  maxLineLength: wholeNumber({
    variable: 'TOOL_MAX_LINE_LENGTH',
    unit: 'characters',
    default: 2_000,
    min: 50,
    max: MANY,
    meaning: 'One line of a tool output.',
  }),
  maxMatches: wholeNumber({
    variable: 'TOOL_MAX_MATCHES',
    unit: 'matches',
    default: 1_000,
    min: 1,
    max: MANY,
    meaning: 'Hits that a searching tool returns.',
  }),
  modelWindowOverrides: tokensByModel({
    variable: 'CONTEXT_MODEL_WINDOWS',
    min: 1_000,
    max: MANY,
    meaning: 'The context window of a model whose published one is not known or not wanted.',
  }),
} as const;

type Definitions = typeof settingDefinitions;
export type SettingName = keyof Definitions;
type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** A value for every setting. */
export type EngineSettings = { readonly [Name in SettingName]: ValueOf<Definitions[Name]> };

/** The settings under the names of their environment variables. */
export type SettingVariables = { [Name in SettingName as Definitions[Name]['variable']]: EngineSettings[Name] };

/** What the engine works with. */
export interface ContextSettings extends EngineSettings {
  /** Tools whose outputs are never cleared. */
  readonly exemptTools: ReadonlySet<string>;
}

export const settingNames = Object.keys(settingDefinitions) as SettingName[];

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingDefinitions, name);
}

/** A setting by its name, where only what all settings share matters. */
export function settingOf(name: SettingName): Setting<EngineSettings[SettingName]> {
  return settingDefinitions[name];
}

export const defaultSettings = Object.fromEntries(
  settingNames.map((name) => [name, settingDefinitions[name].default]),
) as unknown as EngineSettings;

interface Order {
  readonly lower: SettingName;
  readonly upper: SettingName;
  /** They may be the same. */
  readonly orEqual?: boolean;
  readonly why: string;
}

const orders: readonly Order[] = [
  { lower: 'usableShare', upper: 'realTimeShare', why: 'else a step would start only to be cut' },
  { lower: 'targetShare', upper: 'softLimitShare', why: 'else a compaction would at once call for the next one' },
  { lower: 'proactiveThreshold', upper: 'realTimeShare', why: 'else a step is cut before the strategy acts' },
  { lower: 'proactiveKeepShare', upper: 'proactiveThreshold', why: 'else a compaction would not get below it' },
  { lower: 'middleRemovalThreshold', upper: 'realTimeShare', why: 'else a step is cut before the strategy acts' },
  { lower: 'pruningAgentThreshold', upper: 'realTimeShare', why: 'else a step is cut before the strategy acts' },
  { lower: 'narrativeMaxTokens', upper: 'summaryMaxTokens', orEqual: true, why: 'it is a part of it' },
  { lower: 'toolMaxOutputChars', upper: 'toolOutputLimit', orEqual: true, why: 'it is a part of it' },
];

/**
 * What does not fit together in settings that are each within their range, one sentence each.
 * @param nameOf how the reader knows a setting; default its own name
 */
export function conflicts(values: EngineSettings, nameOf: (name: SettingName) => string = (name) => name): string[] {
  return orders
    .filter(
      ({ lower, upper, orEqual }) => values[lower] > values[upper] || (!orEqual && values[lower] === values[upper]),
    )
    .map(
      ({ lower, upper, orEqual, why }) =>
        `${nameOf(lower)} must ${orEqual ? 'not be above' : 'be below'} ${nameOf(upper)}, ${why}`,
    );
}

/** Checks a value for every setting, each by itself and all together; a missing one takes its default. */
export const engineSettingsSchema = z
  .strictObject(Object.fromEntries(settingNames.map((name) => [name, defaulted(name)])))
  .transform((values) => values as unknown as EngineSettings)
  .check((context) => {
    for (const message of conflicts(context.value)) {
      context.issues.push({ code: 'custom', message, input: context.value });
    }
  });

function defaulted(name: SettingName) {
  const { schema, default: value, meaning } = settingOf(name);
  return schema.default(value).describe(meaning);
}
