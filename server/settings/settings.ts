import type { Clock, FaultLog } from '#server/core/process';
import { checkChanges, OVERRIDES, type SettingRules, usableSettings } from '#server/settings/check-settings';
import { engineSettingsOf, type Env } from '#server/platform/config/env';
import {
  type ContextSettings,
  defaultSettings,
  type EngineSettings,
  overridesIn,
  type SettingName,
  settingNames,
  settingOf,
  settingsReference,
} from '#server/context/settings/context-settings';
import { isConstantName } from '#server/context/settings/engine-constants';
import { settingsTopic, type Signals } from '#server/core/conversation/events';
import type { JsonValue } from '#server/core/json';
import type { SettingReference, SettingSource, SettingValue } from '#server/core/admin/settings-report';
import { SharedState } from '#server/platform/signals/shared-state';
import type { SettingsRepository, StoredSettings } from '#server/platform/database/settings-repository';

type ReportedName = SettingName | typeof OVERRIDES;

type ReportedValues = Readonly<Record<ReportedName, SettingValue>>;

/** The current settings and their allowed values. Constants are listed only if they are overridden. */
export interface EngineReport {
  readonly values: ReportedValues;
  /** Values that a reset restores: from the environment, otherwise the default. */
  readonly base: ReportedValues;
  readonly sources: Readonly<Record<ReportedName, SettingSource>>;
  readonly reference: readonly SettingReference<SettingName>[];
}

/** The current settings of the engine, in memory. */
export interface Settings {
  /** The current settings. Read them again for each step, because an administrator may have changed them. */
  readonly current: () => ContextSettings;
  report(): EngineReport;
  /** Reads the stored settings again, because another process may have changed them. */
  refresh(): Promise<void>;
  /**
   * Stores new values; null resets a name to the environment's value. All or nothing.
   * @throws InvalidInputError that names every wrong setting; nothing is changed then
   */
  update(patch: Readonly<Record<string, JsonValue>>): Promise<EngineReport>;
  /** Checks again which stored values can be used. Call it when the list of available models has changed. */
  recheck(): void;
  /** Stops listening for changes. */
  close(): Promise<void>;
}

/** What the settings are made from. */
export interface SettingsOptions extends FaultLog, Partial<Clock> {
  readonly env: Env;
  readonly repository: SettingsRepository;
  /** Tools whose outputs are never cleared. */
  readonly exemptTools: ReadonlySet<string>;
  /** Tools that only read. */
  readonly readingTools?: ReadonlySet<string>;
  /** True if a configured provider offers this model. */
  readonly isServed: (modelId: string) => boolean;
  /** Between processes on one database. */
  readonly signals: Signals;
}

/** Reads the stored settings; after that they change by `update`, in this process or another one. */
export async function createSettings(options: SettingsOptions): Promise<Settings> {
  const { env, repository, exemptTools, readingTools, signals, now = Date.now, onFault } = options;
  const base = engineSettingsOf(env);
  const rules: SettingRules = { base, isServed: options.isServed };
  let usable: Partial<EngineSettings> = {};
  const toolSets = { exemptTools, ...(readingTools && { readingTools }) };
  let current: ContextSettings = { ...base, ...toolSets };
  const stored = await SharedState.load<StoredSettings>({
    read: () => repository.all(),
    topic: settingsTopic,
    signals,
    now,
    name: 'the stored settings',
    onFault,
    onChange: apply,
  });

  /** Makes the stored values the current ones, as far as they can be used. */
  function apply(values: StoredSettings): void {
    const { problems, ...checked } = usableSettings(rules, values);
    for (const problem of problems) onFault(problem);
    usable = checked.usable;
    current = { ...base, ...usable, ...toolSets };
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
      // Reading the value lets it refresh itself when it is old.
      void stored.value;
      return current;
    },
    report,
    refresh: () => stored.refresh(),
    recheck: () => apply(stored.value),
    async update(patch) {
      const changes = new Map(Object.entries(patch));
      await stored.written(
        repository.update((before) => {
          checkChanges(rules, before, changes);
          return changes.has(OVERRIDES) ? new Map([...removalOfConstants(before), ...changes]) : changes;
        }),
      );
      return report();
    },
    close: () => stored.close(),
  };
}

/** Names in the report, in order. */
const reportedNames: readonly ReportedName[] = [...settingNames, OVERRIDES];

function reportedValues(values: EngineSettings): ReportedValues {
  const settings = settingNames.map((name) => [name, values[name]]);
  return { ...Object.fromEntries(settings), [OVERRIDES]: overridesIn(values) } as ReportedValues;
}

/** Changes that remove stored constants which used to be settings: they are part of the overrides now. */
function removalOfConstants(stored: StoredSettings): Map<string, JsonValue> {
  return new Map([...stored.keys()].filter(isConstantName).map((name) => [name, null]));
}

/** Where the current value of a setting comes from. */
function sourceOf(name: ReportedName, base: EngineSettings, usable: Partial<EngineSettings>): SettingSource {
  if (name === OVERRIDES) {
    if (Object.keys(usable).some(isConstantName)) return 'stored';
    return Object.keys(overridesIn(base)).length === 0 ? 'default' : 'env';
  }
  if (Object.hasOwn(usable, name)) return 'stored';
  const { toText } = settingOf(name);
  return toText(base[name]) === toText(defaultSettings[name]) ? 'default' : 'env';
}
