import { z } from 'zod';
import { strategySettings, summarySettings } from '#server/context/settings/compaction-settings';
import type { Setting } from '#server/context/settings/setting-kinds';
import { stepSettings, toolSettings } from '#server/context/settings/turn-settings';
import {
  AUTO_MODEL,
  countingSettings,
  limitSettings,
  modelSettings,
  pruningSettings,
  SAME_MODEL,
} from '#server/context/settings/window-settings';
import type { SettingGroup, SettingReference } from '#server/core/settings-report';

export { AUTO_MODEL, SAME_MODEL };

const groups = {
  models: modelSettings,
  limits: limitSettings,
  steps: stepSettings,
  counting: countingSettings,
  strategies: strategySettings,
  pruning: pruningSettings,
  summaries: summarySettings,
  tools: toolSettings,
} as const satisfies Record<SettingGroup, object>;

/**
 * Every number and choice of the engine, in one place: default, unit, range, meaning and the name of its environment
 * variable. The schema, the environment, the settings page and the table in docs/configuration.md are made from this.
 */
export const settingDefinitions = {
  ...groups.models,
  ...groups.limits,
  ...groups.steps,
  ...groups.counting,
  ...groups.strategies,
  ...groups.pruning,
  ...groups.summaries,
  ...groups.tools,
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

/** The group that a setting belongs to. */
function groupOf(name: SettingName): SettingGroup {
  const names = Object.keys(groups) as SettingGroup[];
  return names.find((group) => Object.hasOwn(groups[group], name))!;
}

/** The settings whose value is the id of a model, or the word in their `input`. */
export const modelSettingNames = [
  'defaultModel',
  'compactionModel',
  'pruningAgentModel',
] as const satisfies SettingName[];

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
  { lower: 'summaryCallTimeout', upper: 'summaryTimeout', orEqual: true, why: 'it is a part of it' },
  { lower: 'calibrationMinReports', upper: 'calibrationReports', orEqual: true, why: 'more are not kept' },
  { lower: 'compactionLeaseRenewal', upper: 'compactionLease', why: 'else it runs out before it is renewed' },
  { lower: 'toolMaxOutputChars', upper: 'toolOutputLimit', orEqual: true, why: 'it is a part of it' },
];

/** Two settings, each within its range, that do not fit together. */
export interface Conflict {
  readonly lower: SettingName;
  readonly upper: SettingName;
  /** What is wrong with the lower one, without its name. */
  readonly problem: string;
}

/** @param nameOf how the reader knows a setting; default its own name */
function findConflicts(values: EngineSettings, nameOf: (name: SettingName) => string = (name) => name): Conflict[] {
  return orders
    .filter(
      ({ lower, upper, orEqual }) => values[lower] > values[upper] || (!orEqual && values[lower] === values[upper]),
    )
    .map(({ lower, upper, orEqual, why }) => ({
      lower,
      upper,
      problem: `must ${orEqual ? 'not be above' : 'be below'} ${nameOf(upper)}, ${why}`,
    }));
}

/** The same, as one sentence each. */
export function conflicts(values: EngineSettings, nameOf: (name: SettingName) => string = (name) => name): string[] {
  return findConflicts(values, nameOf).map(({ lower, problem }) => `${nameOf(lower)} ${problem}`);
}

/** Checks a value for every setting, each by itself and all together; a missing one takes its default. */
export const engineSettingsSchema = z
  .strictObject(Object.fromEntries(settingNames.map((name) => [name, defaulted(name)])))
  .transform((values) => values as unknown as EngineSettings)
  .check((context) => {
    for (const { lower, upper, problem } of findConflicts(context.value)) {
      const params = { related: upper };
      context.issues.push({ code: 'custom', message: problem, path: [lower], params, input: context.value });
    }
  });

function defaulted(name: SettingName) {
  const { schema, default: value, meaning } = settingOf(name);
  return schema.default(value).describe(meaning);
}

/** Every setting of the engine, in the order of the table in docs/configuration.md. */
export function settingsReference(): SettingReference<SettingName>[] {
  return settingNames.map((name) => {
    const setting = settingOf(name);
    const { variable, unit, range, meaning, input } = setting;
    const group = groupOf(name);
    return { name, group, input, variable, default: setting.toText(setting.default), unit, range, meaning };
  });
}
