import type { z } from 'zod';
import {
  conflicts,
  defaultSettings,
  type EngineSettings,
  engineSettingsSchema,
  isSettingName,
  modelSettingNames,
  type SettingName,
  settingOf,
} from '#server/context/context-settings';
import { InvalidInputError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import type { SettingIssue, SettingSource } from '#server/core/settings-report';
import type { StoredSettings } from '#server/store/settings-repository';

/** What stored settings are checked against. */
export interface SettingRules {
  /** What counts where nothing is stored. */
  readonly base: EngineSettings;
  /** Whether a configured provider serves this model. */
  readonly isServed: (modelId: string) => boolean;
}

/** Null for a value that can be used, else what is wrong with it. */
function modelProblem({ isServed }: SettingRules, name: SettingName, value: unknown): string | null {
  if (!modelSettingNames.some((each) => each === name) || value === defaultSettings[name]) return null;
  if (typeof value !== 'string' || isServed(value)) return null;
  return `must be a model that a configured provider serves, and "${value}" is none`;
}

/**
 * The part of what is stored that can be used: an older version may have stored names and values we do not know any
 * more, and a changed environment may not fit together with them. None of that may keep the server from starting.
 */
export function usableSettings(rules: SettingRules, stored: StoredSettings) {
  const { base } = rules;
  const usable: Partial<EngineSettings> = {};
  const problems: string[] = [];
  for (const [name, value] of stored) {
    const parsed = isSettingName(name) ? settingOf(name).schema.safeParse(value) : null;
    const isUsable = parsed?.success && isSettingName(name) && modelProblem(rules, name, parsed.data) === null;
    if (isUsable) Object.assign(usable, { [name]: parsed.data });
    else problems.push(`the stored setting ${JSON.stringify(name)} cannot be used and is left out`);
  }
  const clashes = conflicts({ ...base, ...usable });
  if (clashes.length === 0) return { usable, problems };
  return { usable: {}, problems: [...problems, `no stored setting is used: ${clashes.join('; ')}`] };
}

/** Where the value in force comes from. */
export function sourceOf(name: SettingName, base: EngineSettings, usable: Partial<EngineSettings>): SettingSource {
  if (Object.hasOwn(usable, name)) return 'stored';
  const { toText } = settingOf(name);
  return toText(base[name]) === toText(defaultSettings[name]) ? 'default' : 'env';
}

/** More than these help nobody. */
const MAX_ISSUES = 10;

/**
 * Checks what would be in force after the changes, each by itself and all together.
 * @throws InvalidInputError that names every wrong setting
 */
export function checkChanges(
  rules: SettingRules,
  before: StoredSettings,
  changes: ReadonlyMap<string, JsonValue>,
): void {
  const { base } = rules;
  const unknown = [...changes.keys()].filter((name) => !isSettingName(name));
  const after = new Map<string, unknown>(Object.entries(base));
  for (const [name, value] of [...before, ...changes]) {
    if (!isSettingName(name)) continue;
    // What was stored earlier counts only where it is still valid, as in `usableSettings`.
    if (value === null) after.set(name, base[name]);
    else if (changes.has(name) || settingOf(name).schema.safeParse(value).success) after.set(name, value);
  }
  const parsed = engineSettingsSchema.safeParse(Object.fromEntries(after));
  const issues: SettingIssue[] = [
    ...unknown.map((name) => ({ path: name.slice(0, 100), message: 'is not a setting' })),
    ...(parsed.error?.issues ?? []).map(toIssue),
    ...unservedModels(rules, changes),
  ];
  if (issues.length === 0) return;
  const told = issues.slice(0, MAX_ISSUES);
  const sentences = told.map(({ path, message }) => [path, message].join(' ').trim());
  const details = { issues: told.map((issue) => ({ ...issue })) };
  throw new InvalidInputError(`These settings cannot be used: ${sentences.join('; ')}.`, { details });
}

function toIssue(issue: z.core.$ZodIssue): SettingIssue {
  const related: unknown = issue.code === 'custom' ? issue.params?.['related'] : undefined;
  return {
    path: issue.path.join('.'),
    message: issue.message,
    ...(typeof related === 'string' && { related }),
  };
}

/** Of what is changed only: what was stored earlier is left unused, not refused. */
function unservedModels(rules: SettingRules, changes: ReadonlyMap<string, JsonValue>): SettingIssue[] {
  return [...changes].flatMap(([name, value]) => {
    const isGood = isSettingName(name) && settingOf(name).schema.safeParse(value).success;
    const message = isGood ? modelProblem(rules, name, value) : null;
    return message === null ? [] : [{ path: name, message }];
  });
}
