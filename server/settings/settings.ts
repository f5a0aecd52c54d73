import type { z } from 'zod';
import { engineSettingsOf, type Env } from '#server/config/env';
import {
  conflicts,
  type ContextSettings,
  defaultSettings,
  type EngineSettings,
  engineSettingsSchema,
  isSettingName,
  modelSettingNames,
  overridesIn,
  type SettingName,
  settingNames,
  settingOf,
  settingsReference,
} from '#server/context/settings/context-settings';
import {
  engineConstants,
  engineOverridesSchema,
  isConstantName,
  retiredNames,
} from '#server/context/settings/engine-constants';
import { InvalidInputError } from '#server/core/errors';
import { settingsTopic, type Signals } from '#server/core/events';
import type { JsonValue } from '#server/core/json';
import type { SettingIssue, SettingReference, SettingSource, SettingValue } from '#server/core/settings-report';
import { SharedState } from '#server/signals/shared-state';
import type { SettingsRepository, StoredSettings } from '#server/store/settings-repository';

/** The stored setting that holds other values for constants of the engine. */
const OVERRIDES = 'engineOverrides';

type ReportedName = SettingName | typeof OVERRIDES;

type ReportedValues = Readonly<Record<ReportedName, SettingValue>>;

/** The settings in force and what each may be; constants are only named where they have another value. */
export interface EngineReport {
  readonly values: ReportedValues;
  /** Values that a reset goes back to: the environment's, else the default. */
  readonly base: ReportedValues;
  readonly sources: Readonly<Record<ReportedName, SettingSource>>;
  readonly reference: readonly SettingReference<SettingName>[];
}

/** The engine's settings in force, in memory. */
export interface Settings {
  /** Valid for what begins now: ask again for the next step, an administrator may have changed something. */
  readonly current: () => ContextSettings;
  report(): EngineReport;
  /** Reads again what is stored: another process may have changed it. */
  refresh(): Promise<void>;
  /**
   * Stores new values; null resets a name to the environment's value. All or nothing.
   * @throws InvalidInputError that names every wrong setting; nothing was changed
   */
  update(patch: Readonly<Record<string, JsonValue>>): Promise<EngineReport>;
  /** Looks anew at which stored values can be used: other models are served than before. */
  recheck(): void;
  /** Stops hearing of changes. */
  close(): Promise<void>;
}

export interface SettingsOptions {
  readonly env: Env;
  readonly repository: SettingsRepository;
  /** Tools whose outputs are never cleared. */
  readonly exemptTools: ReadonlySet<string>;
  /** Tells whether a configured provider serves this model. */
  readonly isServed: (modelId: string) => boolean;
  /** Between processes on one database. */
  readonly signals: Signals;
  /** Epoch milliseconds. Default: the clock. */
  readonly now?: () => number;
  /** Told of stored settings that cannot be used any more and are left unused. */
  readonly onFault: (message: string, error?: unknown) => void;
}

/** Reads what is stored; from then on it changes by `update`, here or in another process. */
export async function createSettings(options: SettingsOptions): Promise<Settings> {
  const { env, repository, exemptTools, signals, now, onFault } = options;
  const base = engineSettingsOf(env);
  const rules: SettingRules = { base, isServed: options.isServed };
  let usable: Partial<EngineSettings> = {};
  let current: ContextSettings = { ...base, exemptTools };
  const stored = await SharedState.load<StoredSettings>({
    read: () => repository.all(),
    topic: settingsTopic,
    signals,
    now,
    onFault: (error) => onFault('the stored settings cannot be read', error),
    onChange: take,
  });

  function take(values: StoredSettings): void {
    const { problems, ...checked } = usableSettings(rules, values);
    for (const problem of problems) onFault(problem);
    usable = checked.usable;
    current = { ...base, ...usable, exemptTools };
  }

  function report(): EngineReport {
    const sources = reportedNames.map((name) => [name, sourceOf(name, base, usable)]);
    return {
      values: reportedValues(current),
      base: reportedValues(base),
      sources: Object.fromEntries(sources),
      reference: settingsReference(),
    };
  }

  return {
    current() {
      void stored.value;
      return current;
    },
    report,
    refresh: () => stored.refresh(),
    recheck: () => take(stored.value),
    async update(patch) {
      const changes = new Map(Object.entries(patch));
      await stored.written(
        repository.update((before) => {
          checkChanges(rules, before, changes);
          return changes.has(OVERRIDES) ? new Map([...withoutFormer(before), ...changes]) : changes;
        }),
      );
      return report();
    },
    close: () => stored.close(),
  };
}

/** Rules that stored settings are checked against. */
export interface SettingRules {
  /** Values where nothing is stored. */
  readonly base: EngineSettings;
  /** Tells whether a configured provider serves this model. */
  readonly isServed: (modelId: string) => boolean;
}

/** Null for a value that can be used, else what is wrong with it. */
function modelProblem({ isServed }: SettingRules, name: string, value: unknown): string | null {
  const setting = modelSettingNames.find((each) => each === name);
  if (setting === undefined || value === defaultSettings[setting]) return null;
  if (typeof value !== 'string' || isServed(value)) return null;
  return `must be a model that a configured provider serves, and "${value}" is none`;
}

const reportedNames: readonly ReportedName[] = [...settingNames, OVERRIDES];

function reportedValues(values: EngineSettings): ReportedValues {
  const settings = settingNames.map((name) => [name, values[name]]);
  return { ...Object.fromEntries(settings), [OVERRIDES]: overridesIn(values) } as ReportedValues;
}

/** The removal of stored constants that were settings once: they have become part of the overrides. */
function withoutFormer(stored: StoredSettings): Map<string, JsonValue> {
  return new Map([...stored.keys()].filter(isConstantName).map((name) => [name, null]));
}

/**
 * The values that a stored row gives; null where it cannot be used. Constants were settings once: their rows still
 * count.
 */
function valuesOf(name: string, value: unknown): Partial<EngineSettings> | null {
  if (name === OVERRIDES) return engineOverridesSchema.safeParse(value).data ?? null;
  const definition = isSettingName(name) ? settingOf(name) : isConstantName(name) ? engineConstants[name] : null;
  const parsed = definition?.schema.safeParse(value);
  return parsed?.success ? { [name]: parsed.data } : null;
}

/** Overrides last: they were stored after the constants that were settings once. */
function inOrder(stored: Iterable<readonly [string, unknown]>): (readonly [string, unknown])[] {
  return [...stored].toSorted(([one], [other]) => Number(one === OVERRIDES) - Number(other === OVERRIDES));
}

/**
 * The stored values that can be used: an older version may have stored names and values that are not known any more,
 * and a changed environment may not fit together with them. None of that may keep the server from starting.
 */
function usableSettings(rules: SettingRules, stored: StoredSettings) {
  const { base } = rules;
  const usable: { -readonly [Name in keyof EngineSettings]?: EngineSettings[Name] } = {};
  const problems: string[] = [];
  for (const [name, value] of inOrder(stored)) {
    const values = modelProblem(rules, name, value) === null ? valuesOf(name, value) : null;
    if (values) Object.assign(usable, values);
    else if (!retiredNames.has(name))
      problems.push(`the stored setting ${JSON.stringify(name)} cannot be used and is left out`);
  }
  const clashes: string[] = [];
  for (;;) {
    const found = conflicts({ ...base, ...usable });
    const clashing = found.flatMap(({ lower, upper }) => [lower, upper]).filter((name) => Object.hasOwn(usable, name));
    if (clashing.length === 0) break;
    clashes.push(...found.map(({ lower, problem }) => `${lower} ${problem}`));
    // What stays may clash with what is in force in their place.
    for (const name of clashing) delete usable[name];
  }
  if (clashes.length === 0) return { usable, problems };
  return { usable, problems: [...problems, `stored settings that do not fit are left out: ${clashes.join('; ')}`] };
}

function sourceOf(name: ReportedName, base: EngineSettings, usable: Partial<EngineSettings>): SettingSource {
  if (name === OVERRIDES) {
    if (Object.keys(usable).some(isConstantName)) return 'stored';
    return Object.keys(overridesIn(base)).length === 0 ? 'default' : 'env';
  }
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
function checkChanges(rules: SettingRules, before: StoredSettings, changes: ReadonlyMap<string, JsonValue>): void {
  const { base } = rules;
  const unknown = [...changes.keys()].filter((name) => !isSettingName(name) && name !== OVERRIDES);
  const overrides = engineOverridesSchema.safeParse(changes.get(OVERRIDES) ?? {});
  // What was stored earlier counts only where it is in force.
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
  const told = issues.slice(0, MAX_ISSUES);
  const sentences = told.map(({ path, message }) => [path, message].join(' ').trim());
  const details = { issues: told.map((issue) => ({ ...issue })) };
  throw new InvalidInputError(`These settings cannot be used: ${sentences.join('; ')}.`, { details });
}

function unknownMessage(name: string): string {
  return isConstantName(name) ? `is a constant of the engine: change it in ${OVERRIDES}` : 'is not a setting';
}

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

/** Checks changed models only: one that was stored earlier is left unused, not refused. */
function unservedModels(rules: SettingRules, changes: ReadonlyMap<string, JsonValue>): SettingIssue[] {
  return [...changes].flatMap(([name, value]) => {
    const isGood = isSettingName(name) && settingOf(name).schema.safeParse(value).success;
    const message = isGood ? modelProblem(rules, name, value) : null;
    return message === null ? [] : [{ path: name, message }];
  });
}
