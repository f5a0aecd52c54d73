import { z } from 'zod';
import { countingSettings } from '#server/context/setting-groups/counting';
import { limitSettings } from '#server/context/setting-groups/limits';
import { pruningSettings } from '#server/context/setting-groups/pruning';
import { stepSettings } from '#server/context/setting-groups/steps';
import { SAME_MODEL, strategySettings } from '#server/context/setting-groups/strategies';
import { summarySettings } from '#server/context/setting-groups/summaries';
import { toolSettings } from '#server/context/setting-groups/tools';
import type { Setting } from '#server/context/setting-kinds';

export { SAME_MODEL };
export type { ToolPolicy } from '#server/context/setting-groups/tools';

/**
 * Every number and choice of the engine, in one place: default, unit, range, meaning and the name of its environment
 * variable. The schema, the environment, the settings page and the table in docs/configuration.md are made from this.
 */
export const settingDefinitions = {
  ...limitSettings,
  ...stepSettings,
  ...countingSettings,
  ...strategySettings,
  ...pruningSettings,
  ...summarySettings,
  ...toolSettings,
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
  { lower: 'summaryCallTimeout', upper: 'summaryTimeout', orEqual: true, why: 'it is a part of it' },
  { lower: 'calibrationMinReports', upper: 'calibrationReports', orEqual: true, why: 'more are not kept' },
  { lower: 'compactionLeaseRenewal', upper: 'compactionLease', why: 'else it runs out before it is renewed' },
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
