import { settingNames, type SettingName, settingOf } from '#server/context/context-settings';

/** What a person reads about one setting. */
export interface SettingReference {
  readonly name: SettingName;
  /** Its environment variable. */
  readonly variable: string;
  /** As one would write it in the environment; empty where nothing is set. */
  readonly default: string;
  readonly unit: string;
  readonly range: string;
  readonly meaning: string;
}

/** Every setting of the engine, in the order of the table in docs/configuration.md. */
export function settingsReference(): SettingReference[] {
  return settingNames.map((name) => {
    const setting = settingOf(name);
    const { variable, unit, range, meaning } = setting;
    return { name, variable, default: setting.toText(setting.default), unit, range, meaning };
  });
}
