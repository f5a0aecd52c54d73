import { type KeyboardEvent, useState } from 'react';
import { askDesk } from '#components/desk/desk-requests';
import type { FormField } from '#components/editor/form-model';
import { panelStrings } from '#components/editor/panel-words';
import type { JsonValue } from '#server/core/json';

const say = panelStrings.field;

/** Share of a limit from which the rest is counted. */
const NEAR = 0.8;

/** Ctrl+Z in a field that has nothing of its own left to undo takes back the newest step of the site, as everywhere else. */
export function undoBeyondText({ key, shiftKey, ctrlKey, metaKey, altKey, target }: KeyboardEvent): void {
  const isText = target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
  if (!isText || key.toLowerCase() !== 'z' || !(ctrlKey || metaKey) || altKey) return;
  let isUndone = false;
  const note = () => {
    isUndone = true;
  };
  target.addEventListener('input', note, { once: true });
  // By then the browser has done what it does with the key.
  setTimeout(() => {
    target.removeEventListener('input', note);
    if (!isUndone) askDesk(shiftKey ? 'redo' : 'undo', null);
  });
}

/** Characters left of a limit that is near, negative beyond it; null while it is far. */
export function restOf(text: string, max: number | null): number | null {
  if (max === null || text.length < max * NEAR) return null;
  const rest = max - text.length;
  return rest > max * (1 - NEAR) ? null : rest;
}

/** A value as it is being typed, which may not be one that can be stored yet. */
interface Typed {
  readonly shown: JsonValue;
  /** End of a sentence; null: none, or it has not been left yet. */
  readonly problem: string | null;
  readonly change: (value: JsonValue) => void;
  /** The control was left. */
  readonly touch: () => void;
}

/**
 * Keeps what is typed as it is typed, and hands on what the server would take. Blanks at the end and what is not valid
 * stay in the control until another value comes from outside.
 */
export function useTyped(
  field: FormField,
  value: JsonValue | undefined,
  onChange: (value: JsonValue | null) => void,
): Typed {
  const [typed, setTyped] = useState<{ readonly raw: JsonValue; readonly over: JsonValue | undefined } | null>(null);
  const [isTouched, setIsTouched] = useState(false);
  const checkedOf = (raw: JsonValue) => (isNothing(field, raw) ? { value: null, problems: [] } : field.check(raw));
  const checked = typed && checkedOf(typed.raw);
  const isCurrent =
    typed !== null && checked !== null && same(checked.value === undefined ? typed.over : checked.value, value);
  const shown = isCurrent ? typed.raw : (value ?? (field.kind === 'choice' ? '' : field.blank));
  const [problem] = isCurrent || isTouched ? checkedOf(shown).problems : [];
  return {
    shown,
    problem: problem === undefined ? null : problemText(field, shown, problem.message),
    touch: () => setIsTouched(true),
    change: (raw) => {
      const next = checkedOf(raw);
      setTyped({ raw, over: value });
      if (next.value !== undefined && !same(next.value, value)) onChange(next.value);
    },
  };
}

/** An empty control of a field that may be left out. */
function isNothing({ isOptional }: FormField, raw: JsonValue): boolean {
  return isOptional && (raw === '' || raw === false || (Array.isArray(raw) && raw.length === 0));
}

function problemText({ kind, min, max }: FormField, shown: JsonValue, message: string): string {
  return kind === 'number' && typeof shown !== 'number' ? say.number(min, max) : message;
}

function same(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}
