import { groupOf, settingNames, type SettingName, settingOf } from '#server/context/context-settings';
import type { SettingReference } from '#server/core/settings-report';

/** Every setting of the engine, in the order of the table in docs/configuration.md. */
export function settingsReference(): SettingReference<SettingName>[] {
  return settingNames.map((name) => {
    const setting = settingOf(name);
    const { variable, unit, range, meaning, input } = setting;
    const group = groupOf(name);
    return { name, group, input, variable, default: setting.toText(setting.default), unit, range, meaning };
  });
}
