import {
  conflicts,
  type ContextSettings,
  defaultSettings,
  type EngineSettings,
  engineSettingsSchema,
  isSettingName,
  type SettingName,
  settingNames,
  settingOf,
} from '#server/context/context-settings';
import { type SettingReference, settingsReference } from '#server/context/settings-reference';
import { InvalidInputError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { engineSettingsOf, type Env } from '#server/env';
import type { SettingsRepository, StoredSettings } from '#server/store/settings-repository';

/** Where a setting's value comes from; what is stored wins over the environment. */
export type SettingSource = 'default' | 'env' | 'stored';

/** Everything the settings page shows. */
export interface SettingsReport {
  readonly values: EngineSettings;
  readonly sources: Readonly<Record<SettingName, SettingSource>>;
  readonly reference: readonly SettingReference[];
}

/** The engine's settings in force, in memory. */
export interface Settings {
  /** Valid for what begins now: ask again for the next step, an administrator may have changed something. */
  readonly current: () => ContextSettings;
  report(): SettingsReport;
  /**
   * Stores new values; null resets a name to the environment's value. All or nothing.
   * @throws InvalidInputError that names every wrong setting; nothing was changed
   */
  update(patch: Readonly<Record<string, JsonValue>>): Promise<SettingsReport>;
}

export interface SettingsOptions {
  readonly env: Env;
  readonly repository: SettingsRepository;
  /** Tools whose outputs are never cleared. */
  readonly exemptTools: ReadonlySet<string>;
  /** Told of stored settings that cannot be used any more and are left unused. */
  readonly onFault: (message: string) => void;
}

/** Reads what is stored; from then on it changes by `update` alone. */
export async function createSettings({ env, repository, exemptTools, onFault }: SettingsOptions): Promise<Settings> {
  const base = engineSettingsOf(env);
  let state = toState(await repository.all());

  function toState(stored: StoredSettings) {
    const { usable, problems } = usableSettings(base, stored);
    for (const problem of problems) onFault(problem);
    return { usable, current: { ...base, ...usable, exemptTools } satisfies ContextSettings };
  }

  function report(): SettingsReport {
    const { exemptTools: _, ...values } = state.current;
    const sources = settingNames.map((name) => [name, sourceOf(name, base, state.usable)]);
    return { values, sources: Object.fromEntries(sources), reference: settingsReference() };
  }

  return {
    current: () => state.current,
    report,
    async update(patch) {
      const changes = new Map(Object.entries(patch));
      const stored = await repository.update((before) => {
        checkChanges(base, before, changes);
        return changes;
      });
      state = toState(stored);
      return report();
    },
  };
}

/**
 * The part of what is stored that can be used: an older version may have stored names and values we do not know any
 * more, and a changed environment may not fit together with them. None of that may keep the server from starting.
 */
function usableSettings(base: EngineSettings, stored: StoredSettings) {
  const usable: Partial<EngineSettings> = {};
  const problems: string[] = [];
  for (const [name, value] of stored) {
    const parsed = isSettingName(name) ? settingOf(name).schema.safeParse(value) : null;
    if (parsed?.success) Object.assign(usable, { [name]: parsed.data });
    else problems.push(`the stored setting ${JSON.stringify(name)} cannot be used and is left out`);
  }
  const clashes = conflicts({ ...base, ...usable });
  if (clashes.length === 0) return { usable, problems };
  return { usable: {}, problems: [...problems, `no stored setting is used: ${clashes.join('; ')}`] };
}

function sourceOf(name: SettingName, base: EngineSettings, usable: Partial<EngineSettings>): SettingSource {
  if (Object.hasOwn(usable, name)) return 'stored';
  const { toText } = settingOf(name);
  return toText(base[name]) === toText(defaultSettings[name]) ? 'default' : 'env';
}

/** More than these help nobody. */
const MAX_ISSUES = 10;

/** Checks what would be in force after the changes, each by itself and all together. */
function checkChanges(base: EngineSettings, before: StoredSettings, changes: ReadonlyMap<string, JsonValue>): void {
  const unknown = [...changes.keys()].filter((name) => !isSettingName(name));
  const after = new Map<string, unknown>(Object.entries(base));
  for (const [name, value] of [...before, ...changes]) {
    if (!isSettingName(name)) continue;
    // What was stored earlier counts only where it is still valid, as in `usableSettings`.
    if (value === null) after.set(name, base[name]);
    else if (changes.has(name) || settingOf(name).schema.safeParse(value).success) after.set(name, value);
  }
  const parsed = engineSettingsSchema.safeParse(Object.fromEntries(after));
  const issues = [
    ...unknown.map((name) => ({ path: name.slice(0, 100), message: 'is not a setting' })),
    ...(parsed.error?.issues ?? []).map(({ path, message }) => ({ path: path.join('.'), message })),
  ];
  if (issues.length === 0) return;
  const told = issues.slice(0, MAX_ISSUES);
  const sentences = told.map(({ path, message }) => [path, message].join(' ').trim());
  const details = { issues: told };
  throw new InvalidInputError(`These settings cannot be used: ${sentences.join('; ')}.`, { details });
}
