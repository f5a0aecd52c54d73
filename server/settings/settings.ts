import { isDeepStrictEqual } from 'node:util';
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
  type SettingName,
  settingNames,
  settingOf,
  settingsReference,
} from '#server/context/settings/context-settings';
import { InvalidInputError } from '#server/core/errors';
import { settingsTopic, type Signals } from '#server/core/events';
import type { JsonValue } from '#server/core/json';
import type { SettingIssue, SettingReference, SettingSource } from '#server/core/settings-report';
import type { SettingsRepository, StoredSettings } from '#server/store/settings-repository';

/** What the engine's settings are, and what could be. */
export interface EngineReport {
  readonly values: EngineSettings;
  /** What a reset goes back to: the environment's value, else the default. */
  readonly base: EngineSettings;
  readonly sources: Readonly<Record<SettingName, SettingSource>>;
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
  /** Stops hearing of changes. */
  close(): Promise<void>;
}

export interface SettingsOptions {
  readonly env: Env;
  readonly repository: SettingsRepository;
  /** Tools whose outputs are never cleared. */
  readonly exemptTools: ReadonlySet<string>;
  /** Whether a configured provider serves this model. */
  readonly isServed: (modelId: string) => boolean;
  /** Between processes on one database. */
  readonly signals: Signals;
  /** Epoch milliseconds. Default: the clock. */
  readonly now?: () => number;
  /** Told of stored settings that cannot be used any more and are left unused. */
  readonly onFault: (message: string, error?: unknown) => void;
}

/** How long a change by another process may go unnoticed where no signal tells of it; milliseconds. */
const MAX_AGE_MS = 5_000;

/** Reads what is stored; from then on it changes by `update`, here or in another process. */
export async function createSettings(options: SettingsOptions): Promise<Settings> {
  const { env, repository, exemptTools, signals, now = Date.now, onFault } = options;
  const base = engineSettingsOf(env);
  const rules: SettingRules = { base, isServed: options.isServed };
  let stored = await repository.all();
  let state = toState();
  let readAt = now();
  /** Counts our own changes: what was read before one is older than it. */
  let changeCount = 0;
  let reading: Promise<void> | null = null;
  let isStale = false;
  let isClosed = false;
  const unsubscribe = signals.subscribe(settingsTopic, reread);

  function toState() {
    const { usable, problems } = usableSettings(rules, stored);
    for (const problem of problems) onFault(problem);
    return { usable, current: { ...base, ...usable, exemptTools } satisfies ContextSettings };
  }

  function take(newest: StoredSettings): void {
    readAt = now();
    if (isSame(stored, newest)) return;
    stored = newest;
    state = toState();
  }

  async function refresh(): Promise<void> {
    const before = changeCount;
    const newest = await repository.all();
    if (before === changeCount) take(newest);
  }

  /** In the background, one at a time; a change that comes while one is read is read after it. */
  function reread(): void {
    if (isClosed) return;
    readAt = now();
    isStale = reading !== null;
    reading ??= refresh()
      .catch((error: unknown) => onFault('the stored settings cannot be read', error))
      .finally(() => {
        reading = null;
        if (isStale) reread();
      });
  }

  function report(): EngineReport {
    const { exemptTools: _, ...values } = state.current;
    const sources = settingNames.map((name) => [name, sourceOf(name, base, state.usable)]);
    return { values, base, sources: Object.fromEntries(sources), reference: settingsReference() };
  }

  return {
    current() {
      if (now() - readAt >= MAX_AGE_MS) reread();
      return state.current;
    },
    report,
    refresh,
    async update(patch) {
      const changes = new Map(Object.entries(patch));
      const newest = await repository.update((before) => {
        checkChanges(rules, before, changes);
        return changes;
      });
      changeCount += 1;
      take(newest);
      signals.notify(settingsTopic);
      return report();
    },
    async close() {
      isClosed = true;
      unsubscribe();
      await reading;
    },
  };
}

function isSame(one: StoredSettings, other: StoredSettings): boolean {
  return one.size === other.size && [...one].every(([name, value]) => isDeepStrictEqual(value, other.get(name)));
}

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
function usableSettings(rules: SettingRules, stored: StoredSettings) {
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
function sourceOf(name: SettingName, base: EngineSettings, usable: Partial<EngineSettings>): SettingSource {
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
