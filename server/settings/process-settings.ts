import type { ProcessSetting } from '#server/core/settings-report';
import { type Env, processReference, withoutCredentials } from '#server/env';

/** Whatever is called so is never shown. */
const SECRET = /(TOKEN|KEY|SECRET|PASSWORD)$/;

/** What is read once, at the start: name, value and meaning, without secrets. */
export function processSettings(env: Env): ProcessSetting[] {
  // Of the process, all are of these kinds.
  const values = env as unknown as Readonly<Record<string, string | number | readonly string[] | undefined>>;
  return processReference().map((reference) => {
    const value = values[reference.name];
    const text = value === undefined ? '' : [value].flat().join(', ');
    const isSecret = SECRET.test(reference.name);
    return {
      ...reference,
      isSecret,
      isSet: text !== reference.default,
      value: isSecret || text === '' ? null : withoutCredentials(text),
    };
  });
}
