import { translator } from '#components/i18n.ts';
import type { JsonValue } from '#server/core/json';
import { designChoices, footerKinds, headerKinds, phoneMenus } from '#server/core/site/design/design-choices';

const t = translator('design');

/** The word for one of several values; other values stay as they are. */
function worded(value: JsonValue | undefined, values: readonly string[], word: (value: string) => string): JsonValue {
  return typeof value === 'string' && values.includes(value) ? word(value) : (value ?? null);
}

/** A part of a design with its values as on the page of the design; values of other fields stay as they are. */
export function designInWords(field: string, value: JsonValue): JsonValue {
  if (Object.hasOwn(designChoices, field)) {
    const name = field as keyof typeof designChoices;
    return worded(value, designChoices[name], (choice) => t(`values.${name}.${choice}` as 'values.width.wide'));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (field === 'header' && 'phoneMenu' in value) {
    const kind = worded(value['kind'], headerKinds, (each) => t(`header.kinds.${each}` as 'header.kinds.row'));
    const menu = (each: string) => t(`header.phoneMenus.${each}` as 'header.phoneMenus.row');
    return { ...value, kind, phoneMenu: worded(value['phoneMenu'], phoneMenus, menu) };
  }
  if (field !== 'footer' || !('columns' in value)) return value;
  const kind = worded(value['kind'], footerKinds, (each) => t(`footer.kinds.${each}` as 'footer.kinds.row'));
  return { ...value, kind };
}
