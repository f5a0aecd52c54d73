import type { z } from 'zod';
import {
  conflicts,
  defaultSettings,
  type EngineSettings,
  engineSettingsSchema,
  isSettingName,
  modelSettingNames,
  settingOf,
} from '#server/context/settings/context-settings';
import {
  engineConstants,
  engineOverridesSchema,
  isConstantName,
  retiredNames,
} from '#server/context/settings/engine-constants';
import { InvalidInputError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import type { SettingIssue } from '#server/core/admin/settings-report';
import type { StoredSettings } from '#server/platform/database/settings-repository';

/** Name of the stored setting that overrides constants of the engine. */
export const OVERRIDES = 'engineOverrides';

/** Rules that stored settings are checked against. */
export interface SettingRules {
  /** Values of names that are not stored. */
  readonly base: EngineSettings;
  /** True if a configured provider offers this model. */
  readonly isServed: (modelId: string) => boolean;
}

/** What is wrong with the model that a setting names; null if nothing is, or if the setting names no model. */
function modelProblem({ isServed }: SettingRules, name: string, value: unknown): string | null {
  const setting = modelSettingNames.find((each) => each === name);
  if (setting === undefined || value === defaultSettings[setting]) return null;
  if (typeof value !== 'string' || isServed(value)) return null;
  return `must be a model that a configured provider serves, and "${value}" is none`;
}

/**
 * The values of a stored row; null if the row cannot be used. Rows of constants that used to be settings still count.
 */
function valuesOf(name: string, value: unknown): Partial<EngineSettings> | null {
  if (name === OVERRIDES) return engineOverridesSchema.safeParse(value).data ?? null;
  const definition = isSettingName(name) ? settingOf(name) : isConstantName(name) ? engineConstants[name] : null;
  const parsed = definition?.schema.safeParse(value);
  return parsed?.success ? { [name]: parsed.data } : null;
}

/** The stored rows in the order in which they apply. Overrides last: they were stored later than the rows of constants that used to be settings. */
function inOrder(stored: Iterable<readonly [string, unknown]>): (readonly [string, unknown])[] {
  return [...stored].toSorted(([one], [other]) => Number(one === OVERRIDES) - Number(other === OVERRIDES));
}

/**
 * The stored values that can be used. An older version may have stored names and values that are now unknown, or a
 * changed environment may conflict with them; neither may keep the server from starting.
 */
export function usableSettings(rules: SettingRules, stored: StoredSettings) {
  const { base } = rules;
  const usable: { -readonly [Name in keyof EngineSettings]?: EngineSettings[Name] } = {};
  const problems: string[] = [];
  for (const [name, value] of inOrder(stored)) {
    const values = modelProblem(rules, name, value) === null ? valuesOf(name, value) : null;
    if (values) Object.assign(usable, values);
    else if (!retiredNames.has(name))
      problems.push(`the stored setting ${JSON.stringify(name)} cannot be used and is left out`);
  }
  const conflictTexts: string[] = [];
  for (;;) {
    const found = conflicts({ ...base, ...usable });
    const conflicting = found
      .flatMap(({ lower, upper }) => [lower, upper])
      .filter((name) => Object.hasOwn(usable, name));
    if (conflicting.length === 0) break;
    conflictTexts.push(...found.map(({ lower, problem }) => `${lower} ${problem}`));
    // The remaining values may conflict with the values that replace the removed ones.
    for (const name of conflicting) delete usable[name];
  }
  if (conflictTexts.length === 0) return { usable, problems };
  return {
    usable,
    problems: [...problems, `stored settings that do not fit are left out: ${conflictTexts.join('; ')}`],
  };
}

/** Maximum number of problems that one refusal names: a longer list would not help. */
const MAX_ISSUES = 10;

/**
 * Checks the settings that would result from the changes, each by itself and all together.
 * @throws InvalidInputError that names every wrong setting
 */
export function checkChanges(
  rules: SettingRules,
  before: StoredSettings,
  changes: ReadonlyMap<string, JsonValue>,
): void {
  const { base } = rules;
  const unknown = [...changes.keys()].filter((name) => !isSettingName(name) && name !== OVERRIDES);
  const overrides = engineOverridesSchema.safeParse(changes.get(OVERRIDES) ?? {});
  // A stored value counts only if it is in force.
  const { usable } = usableSettings(rules, before);
  const isInForce = (values: object | null) => Object.keys(values ?? {}).every((name) => Object.hasOwn(usable, name));
  const kept = inOrder(before).filter(
    ([name, value]) =>
      !changes.has(name) && !(changes.has(OVERRIDES) && isConstantName(name)) && isInForce(valuesOf(name, value)),
  );
  const changed = [...changes].filter(([name, value]) => isSettingName(name) && value !== null);
  const after = { ...base, ...Object.fromEntries(changed), ...overrides.data };
  for (const [name, value] of kept) Object.assign(after, valuesOf(name, value));
  const parsed = engineSettingsSchema.safeParse(after);
  const issues: SettingIssue[] = [
    ...unknown.map((name) => ({ path: name.slice(0, 100), message: unknownMessage(name) })),
    ...(overrides.error?.issues ?? []).map((issue) => toIssue({ ...issue, path: [OVERRIDES, ...issue.path] })),
    ...(parsed.error?.issues ?? []).map(toIssue),
    ...unservedModels(rules, changes),
  ];
  if (issues.length === 0) return;
  const reported = issues.slice(0, MAX_ISSUES);
  const sentences = reported.map(({ path, message }) => [path, message].join(' ').trim());
  const details = { issues: reported.map((issue) => ({ ...issue })) };
  throw new InvalidInputError(`These settings cannot be used: ${sentences.join('; ')}.`, { details });
}

/** Why a name cannot be changed. */
function unknownMessage(name: string): string {
  return isConstantName(name) ? `is a constant of the engine: change it in ${OVERRIDES}` : 'is not a setting';
}

/** A problem that the schema has found, with the name that a client knows. */
function toIssue(issue: z.core.$ZodIssue): SettingIssue {
  const related: unknown = issue.code === 'custom' ? issue.params?.['related'] : undefined;
  const path = issue.path.map(String);
  if (isConstantName(path[0] ?? '')) path.unshift(OVERRIDES);
  return {
    path: path.join('.'),
    message: issue.message,
    ...(typeof related === 'string' && { related }),
  };
}

/** Checks changed models only: a model that was stored earlier is ignored instead of refused. */
function unservedModels(rules: SettingRules, changes: ReadonlyMap<string, JsonValue>): SettingIssue[] {
  return [...changes].flatMap(([name, value]) => {
    const isGood = isSettingName(name) && settingOf(name).schema.safeParse(value).success;
    const message = isGood ? modelProblem(rules, name, value) : null;
    return message === null ? [] : [{ path: name, message }];
  });
}
