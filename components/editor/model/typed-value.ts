import { useState } from 'react';
import type { FormField } from '#components/editor/model/form-model.ts';
import { translator } from '#components/i18n.ts';
import type { JsonValue } from '#server/core/json';

const t = translator('sectionPanel.field');

/** Share of a limit from which the remaining characters are shown. */
const NEAR_LIMIT_SHARE = 0.8;

/**
 * UTF-16 code units left before a limit, negative beyond the limit; null without a limit, and while less than
 * NEAR_LIMIT_SHARE of it is used.
 */
export function remainingCharacters(text: string, max: number | null): number | null {
  if (max === null || text.length < max * NEAR_LIMIT_SHARE) return null;
  const rest = max - text.length;
  return rest > max * (1 - NEAR_LIMIT_SHARE) ? null : rest;
}

/** A value during typing, which may not be valid yet. */
interface TypedValue {
  /** Value of the control: the raw input while it is current, else the value from outside. */
  readonly shown: JsonValue;
  /** End of a sentence; null if valid, or if the control was not left yet. */
  readonly problem: string | null;
  readonly change: (value: JsonValue) => void;
  /** Call this when the control loses the focus: from then on its problem is shown. */
  readonly touch: () => void;
}

/**
 * Keeps the raw input of a control, and passes on the value that the server would accept. Trailing blanks and invalid
 * input stay in the control until another value comes from outside.
 * @param value the present value, undefined for none
 * @param onChange called with a valid value that differs from the present one; null removes an optional value
 */
export function useTypedValue(
  field: FormField,
  value: JsonValue | undefined,
  onChange: (value: JsonValue | null) => void,
): TypedValue {
  const [typed, setTyped] = useState<{ readonly raw: JsonValue; readonly replaced: JsonValue | undefined } | null>(
    null,
  );
  const [isTouched, setIsTouched] = useState(false);
  const checkedOf = (raw: JsonValue) => (isNothing(field, raw) ? { value: null, problems: [] } : field.check(raw));
  const checked = typed && checkedOf(typed.raw);
  const isCurrent =
    typed !== null && checked !== null && same(checked.value === undefined ? typed.replaced : checked.value, value);
  const shown = isCurrent ? typed.raw : (value ?? (field.kind === 'choice' ? '' : field.blank));
  const [problem] = isCurrent || isTouched ? checkedOf(shown).problems : [];
  return {
    shown,
    problem: problem === undefined ? null : problemText(field, shown, problem.message),
    touch: () => setIsTouched(true),
    change: (raw) => {
      const next = checkedOf(raw);
      setTyped({ raw, replaced: value });
      if (next.value !== undefined && !same(next.value, value)) onChange(next.value);
    },
  };
}

/** True for an empty control of an optional field. */
function isNothing({ isOptional }: FormField, raw: JsonValue): boolean {
  return isOptional && (raw === '' || raw === false || (Array.isArray(raw) && raw.length === 0));
}

function problemText({ kind, min, max }: FormField, shown: JsonValue, message: string): string {
  if (kind !== 'number' || typeof shown === 'number') return message;
  return max === null ? t('numberFrom', { min: min ?? 0 }) : t('number', { min: min ?? 0, max });
}

function same(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}
