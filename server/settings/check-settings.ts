import type { z } from 'zod';
import {
  conflicts,
  defaultSettings,
  type EngineSettings,
  engineSettingsSchema,
  isSettingName,
  modelSettingNames,
  settingDefinitions,
  type SettingName,
  settingOf,
} from '#server/context/settings/context-settings';
import {
  engineConstants,
  engineOverridesSchema,
  isConstantName,
  overridesRule,
  retiredNames,
} from '#server/context/settings/engine-constants';
import type { ServerText } from '#server/core/coded-message';
import { isServerText } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
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
function modelProblem({ isServed }: SettingRules, name: string, value: unknown): ServerText | null {
  const setting = modelSettingNames.find((each) => each === name);
  if (setting === undefined || value === defaultSettings[setting]) return null;
  if (typeof value !== 'string' || isServed(value)) return null;
  return serverText('setting-unserved', { model: value });
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
    conflictTexts.push(...found.map(({ lower, problem }) => `${lower} ${problem.text}`));
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
    ...unknown.map((name) => issueOf(name.slice(0, 100), unknownText(name))),
    ...(overrides.error?.issues ?? []).map((issue) => toIssue({ ...issue, path: [OVERRIDES, ...issue.path] })),
    ...(parsed.error?.issues ?? []).map(toIssue),
    ...unservedModels(rules, changes, before),
  ];
  if (issues.length === 0) return;
  const reported = issues.slice(0, MAX_ISSUES);
  const problems = reported.map(({ path, message, reason }) =>
    serverText('setting-problem', { name: path, problem: { ...reason, text: message } }),
  );
  const details = { issues: reported.map((issue) => ({ ...issue })) };
  throw new InvalidInputError(serverText('settings-refused', { problems }), { details });
}

/** Why a name cannot be changed. */
function unknownText(name: string): ServerText {
  return serverText(isConstantName(name) ? 'setting-constant' : 'setting-unknown');
}

function issueOf(path: string, { text, ...reason }: ServerText): SettingIssue {
  return { path, message: text, reason };
}

/** A problem that the schema has found, with the name that a client knows. */
function toIssue(issue: z.core.$ZodIssue): SettingIssue {
  const { related, problem }: Readonly<Record<string, unknown>> = (issue.code === 'custom' && issue.params) || {};
  const path = issue.path.map(String);
  if (isConstantName(path[0] ?? '')) path.unshift(OVERRIDES);
  return {
    ...issueOf(path.join('.'), isServerText(problem) ? problem : ruleOf(path)),
    ...(typeof related === 'string' && { related }),
  };
}

/** What the value at a path must be. */
function ruleOf([name = '', inside = '']: readonly string[]): ServerText {
  if (isSettingName(name)) return settingOf(name).rule;
  return isConstantName(inside) ? engineConstants[inside].rule : overridesRule;
}

/** Checks changed models only: a model that was stored earlier is ignored instead of refused. */
function unservedModels(
  rules: SettingRules,
  changes: ReadonlyMap<string, JsonValue>,
  before: StoredSettings,
): SettingIssue[] {
  return [...changes].flatMap(([name, value]) => {
    const isGood = isSettingName(name) && settingOf(name).schema.safeParse(value).success;
    if (!isGood) return [];
    const models =
      name === 'programCompaction' ? agentsIn(value, before.get(name)) : [{ path: name, name, model: value }];
    return models.flatMap(({ path, name: setting, model }) => {
      const problem = modelProblem(rules, setting, model);
      return problem === null ? [] : [issueOf(path, problem)];
    });
  });
}

/** The changed pruning agents in a value of `programCompaction`, checked like the setting `pruningAgentModel`. */
function agentsIn(
  value: unknown,
  stored: unknown,
): { readonly path: string; readonly name: SettingName; readonly model: unknown }[] {
  const name = 'pruningAgentModel';
  const { schema } = settingDefinitions.programCompaction;
  const former = new Map(Object.entries(schema.safeParse(stored).data ?? {}));
  return Object.entries(schema.parse(value)).flatMap(([provider, own]) =>
    own?.[name] === undefined || own[name] === former.get(provider)?.[name]
      ? []
      : [{ path: `programCompaction.${provider}.${name}`, name, model: own[name] }],
  );
}
