import { serverText } from '#server/core/messages/server-text';
import { z } from 'zod';
import {
  type ConstantName,
  constantNames,
  engineConstants,
  type EngineOverrides,
  isConstantName,
} from '#server/context/settings/engine-constants';
import { type Setting, settingGroups } from '#server/context/settings/setting-definitions';
import { nameText } from '#server/core/messages/server-text';
import type { SettingGroup, SettingReference } from '#server/core/admin/settings-report';

/** All settings, by name. */
export const settingDefinitions = {
  ...settingGroups.models,
  ...settingGroups.programs,
  ...settingGroups.limits,
  ...settingGroups.budgets,
  ...settingGroups.steps,
  ...settingGroups.strategies,
  ...settingGroups.pruning,
  ...settingGroups.tools,
  ...settingGroups.definitions,
  ...settingGroups.visitors,
} as const;

type Definitions = typeof settingDefinitions;
/** Name of a setting. */
export type SettingName = keyof Definitions;
/** Name of a setting or of a constant. */
type EngineName = SettingName | ConstantName;
type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** The values of all settings and constants. */
export type EngineSettings = { readonly [Name in SettingName]: ValueOf<Definitions[Name]> } & {
  readonly [Name in ConstantName]: number;
};

/** The settings and constants that the engine uses. */
export type ContextSettings = EngineSettings & {
  /** Tools whose outputs are never cleared. */
  readonly exemptTools: ReadonlySet<string>;
  /** Tools that only read: the record leaves them out first. Default: none are known. */
  readonly readingTools?: ReadonlySet<string>;
};

/** Names of all settings. */
export const settingNames = Object.keys(settingDefinitions) as SettingName[];

/** True for the name of a setting. */
export const isSettingName = (name: string): name is SettingName => Object.hasOwn(settingDefinitions, name);

/** The definition of a setting. */
export const settingOf = (name: SettingName): Setting<EngineSettings[SettingName]> => settingDefinitions[name];

/** The definition of a setting or constant. */
const definitionOf = (name: EngineName) => (isConstantName(name) ? engineConstants[name] : settingOf(name));

/** The settings whose value is a model id or the keyword in their `input`. */
export const modelSettingNames = settingNames.filter((name) => settingOf(name).input.kind === 'model');

/** Names of all settings and constants. */
const engineNames = [...settingNames, ...constantNames];

/** The default of each setting and constant. */
export const defaultSettings = Object.fromEntries(
  engineNames.map((name) => [name, definitionOf(name).default]),
) as unknown as EngineSettings;

/** The constants that differ from their defaults. */
export function overridesIn(values: EngineSettings): EngineOverrides {
  const changed = constantNames.filter((name) => values[name] !== engineConstants[name].default);
  return Object.fromEntries(changed.map((name) => [name, values[name]]));
}

/** Why a value must be below another, as the message `setting-order` explains it. */
type Reason = 'start' | 'loop' | 'late' | 'keep' | 'unkept' | 'lease' | 'part';

/** Pairs of values where the first must be below the second, or not above it, with the reason. */
const orders: readonly (readonly [lower: EngineName, relation: '<' | '<=', upper: EngineName, why: Reason])[] = [
  ['usableShare', '<', 'realTimeShare', 'start'],
  ['targetShare', '<', 'aheadShare', 'loop'],
  ['proactiveThreshold', '<', 'realTimeShare', 'late'],
  ['proactiveKeepShare', '<', 'proactiveThreshold', 'keep'],
  ['middleRemovalThreshold', '<', 'realTimeShare', 'late'],
  ['pruningAgentThreshold', '<', 'realTimeShare', 'late'],
  ['summaryCallTimeout', '<=', 'summaryTimeout', 'part'],
  ['calibrationMinReports', '<=', 'calibrationReports', 'unkept'],
  ['compactionLeaseRenewal', '<', 'compactionLease', 'lease'],
  ['toolMaxOutputChars', '<=', 'toolOutputLimit', 'part'],
];

/** Finds values that contradict each other. `problem` is a sentence about `lower`, without its name. */
export function conflicts(values: EngineSettings, nameOf: (name: EngineName) => string = (name) => name) {
  return orders.flatMap(([lower, relation, upper, why]) => {
    const isRight = relation === '<' ? values[lower] < values[upper] : values[lower] <= values[upper];
    if (isRight) return [];
    const problem = serverText('setting-order', { isBelow: relation === '<', upper: nameOf(upper), why });
    return [{ lower, upper, problem }];
  });
}

/** Validates every setting and constant individually and together. A missing one gets its default. */
export const engineSettingsSchema = z
  .strictObject(
    Object.fromEntries(engineNames.map((name) => [name, definitionOf(name).schema.default(defaultSettings[name])])),
  )
  .transform((values) => values as unknown as EngineSettings)
  .check((context) => {
    for (const { lower, upper, problem } of conflicts(context.value)) {
      const params = { related: upper, problem };
      context.issues.push({ code: 'custom', message: problem.text, path: [lower], params, input: context.value });
    }
  });

/** Every setting, in the order of the table in docs/reference/configuration.md. */
export function settingsReference(): SettingReference<SettingName>[] {
  return Object.entries(settingGroups).flatMap(([group, settings]) =>
    settingNames
      .filter((name) => Object.hasOwn(settings, name))
      .map((name) => {
        const {
          toText,
          default: value,
          schema: _schema,
          textSchema: _textSchema,
          rule: _rule,
          ...described
        } = settingOf(name);
        const meaning = nameText('setting', name).text;
        return { ...described, name, group: group as SettingGroup, default: toText(value), meaning };
      }),
  );
}

/** Source of the settings. Read them again for each step, because an administrator may have changed them. */
export interface CurrentSettings {
  current(this: void): ContextSettings;
}
