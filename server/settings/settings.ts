import { isDeepStrictEqual } from 'node:util';
import {
  type ContextSettings,
  type EngineSettings,
  type SettingName,
  settingNames,
} from '#server/context/context-settings';
import { settingsReference } from '#server/context/settings-reference';
import type { JsonValue } from '#server/core/json';
import type { SettingReference, SettingSource } from '#server/core/settings-report';
import { type Signals, settingsTopic } from '#server/core/signals';
import { engineSettingsOf, type Env } from '#server/env';
import { checkChanges, type SettingRules, sourceOf, usableSettings } from '#server/settings/setting-rules';
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
