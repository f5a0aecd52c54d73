import { z } from 'zod';
import {
  type ConstantName,
  constantNames,
  engineConstants,
  type EngineOverrides,
  isConstantName,
} from '#server/context/settings/engine-constants';
import { settingGroups } from '#server/context/settings/setting-definitions';
import type { Setting } from '#server/context/settings/setting-kinds';
import type { SettingGroup, SettingReference } from '#server/core/settings-report';

/** Definitions of the settings that a person changes, by name. */
export const settingDefinitions = {
  ...settingGroups.models,
  ...settingGroups.limits,
  ...settingGroups.steps,
  ...settingGroups.strategies,
  ...settingGroups.pruning,
  ...settingGroups.tools,
} as const;

type Definitions = typeof settingDefinitions;
export type SettingName = keyof Definitions;
type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** A value for every setting. */
type SettingValues = { readonly [Name in SettingName]: ValueOf<Definitions[Name]> };

/** A value for every setting and every constant of the engine. */
export type EngineSettings = SettingValues & { readonly [Name in ConstantName]: number };

/** The settings under the names of their environment variables. */
export type SettingVariables = { [Name in SettingName as Definitions[Name]['variable']]: SettingValues[Name] };

/** The settings and constants that the engine works with. */
export type ContextSettings = EngineSettings & {
  /** Tools whose outputs are never cleared. */
  readonly exemptTools: ReadonlySet<string>;
};

export const settingNames = Object.keys(settingDefinitions) as SettingName[];

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingDefinitions, name);
}

/** A setting by its name, typed by what all settings share. */
export function settingOf(name: SettingName): Setting<EngineSettings[SettingName]> {
  return settingDefinitions[name];
}

function definitionOf(name: SettingName | ConstantName): Setting<EngineSettings[SettingName]> {
  return isConstantName(name) ? engineConstants[name] : settingOf(name);
}

/** The settings whose value is the id of a model, or the word in their `input`. */
export const modelSettingNames = [
  'defaultModel',
  'compactionModel',
  'pruningAgentModel',
] as const satisfies SettingName[];

const engineNames = [...settingNames, ...constantNames];

export const defaultSettings = Object.fromEntries(
  engineNames.map((name) => [name, definitionOf(name).default]),
) as unknown as EngineSettings;

/** The constants that have another value than their own. */
export function overridesIn(values: EngineSettings): EngineOverrides {
  const changed = constantNames.filter((name) => values[name] !== engineConstants[name].default);
  return Object.fromEntries(changed.map((name) => [name, values[name]]));
}

interface Order {
  readonly lower: SettingName | ConstantName;
  readonly upper: SettingName | ConstantName;
  /** They may be the same. */
  readonly orEqual?: boolean;
  readonly why: string;
}

const orders: readonly Order[] = [
  { lower: 'usableShare', upper: 'realTimeShare', why: 'else a step would start only to be cut' },
  { lower: 'targetShare', upper: 'aheadShare', why: 'else a compaction would at once call for the next one' },
  { lower: 'proactiveThreshold', upper: 'realTimeShare', why: 'else a step is cut before the strategy acts' },
  { lower: 'proactiveKeepShare', upper: 'proactiveThreshold', why: 'else a compaction would not get below it' },
  { lower: 'middleRemovalThreshold', upper: 'realTimeShare', why: 'else a step is cut before the strategy acts' },
  { lower: 'pruningAgentThreshold', upper: 'realTimeShare', why: 'else a step is cut before the strategy acts' },
  { lower: 'summaryCallTimeout', upper: 'summaryTimeout', orEqual: true, why: 'it is a part of it' },
  { lower: 'calibrationMinReports', upper: 'calibrationReports', orEqual: true, why: 'more are not kept' },
  { lower: 'compactionLeaseRenewal', upper: 'compactionLease', why: 'else it runs out before it is renewed' },
  { lower: 'toolMaxOutputChars', upper: 'toolOutputLimit', orEqual: true, why: 'it is a part of it' },
];

/** Two values, each within its range, that do not fit together. */
interface MisorderedPair extends Pick<Order, 'lower' | 'upper'> {
  /** Problem of the lower one, without its name. */
  readonly problem: string;
}

type NameOf = (name: SettingName | ConstantName) => string;

function findMisordered(values: EngineSettings, nameOf: NameOf = (name) => name): MisorderedPair[] {
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

/**
 * Says which values do not fit together, as one sentence each.
 * @param nameOf how the reader knows a setting or constant; default its own name
 */
export function conflicts(values: EngineSettings, nameOf: NameOf = (name) => name): string[] {
  return findMisordered(values, nameOf).map(({ lower, problem }) => `${nameOf(lower)} ${problem}`);
}

/** Checks a value for every setting and constant, each by itself and all together; a missing one takes its default. */
export const engineSettingsSchema = z
  .strictObject(Object.fromEntries(engineNames.map((name) => [name, defaulted(name)])))
  .transform((values) => values as unknown as EngineSettings)
  .check((context) => {
    for (const { lower, upper, problem } of findMisordered(context.value)) {
      const params = { related: upper };
      context.issues.push({ code: 'custom', message: problem, path: [lower], params, input: context.value });
    }
  });

function defaulted(name: SettingName | ConstantName) {
  const { schema, default: value, meaning } = definitionOf(name);
  return schema.default(value).describe(meaning);
}

/** Every setting, in the order of the table in docs/configuration.md. */
export function settingsReference(): SettingReference<SettingName>[] {
  return Object.entries(settingGroups).flatMap(([group, settings]) =>
    Object.keys(settings)
      .filter(isSettingName)
      .map((name) => {
        const { variable, unit, range, meaning, input, default: value, toText } = settingOf(name);
        return { name, group: group as SettingGroup, input, variable, default: toText(value), unit, range, meaning };
      }),
  );
}
