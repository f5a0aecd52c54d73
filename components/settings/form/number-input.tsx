import clsx from 'clsx';
import { type KeyboardEvent, useState } from 'react';
import { type NumberInput, stepOf } from '#components/settings/form/number-text.ts';
import { type ControlIds, fieldStyle } from '#components/ui/fields';
import { fromDisplayUnit, toDisplayUnit } from '#server/core/admin/display-units';

interface NumberInputFieldProps extends ControlIds {
  readonly input: NumberInput;
  /** In the unit of the API; empty while nothing valid is typed. */
  readonly value: number | '';
  readonly isInvalid: boolean;
  readonly onChange: (value: number | '') => void;
  /** The accessible name, for a field without a label. */
  readonly 'aria-label'?: string;
  readonly placeholder?: string;
  readonly className: string;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

/** Field for a number, which is entered in the unit of people and kept in that of the API. */
export function NumberInputField({ input, value, isInvalid, onChange, className, ...props }: NumberInputFieldProps) {
  const { min, max, whole, displayUnit } = input;
  /** What is being typed: `1.0` must not become `1` before the next digit. */
  const [typed, setTyped] = useState<string | null>(null);
  const stored = (text: string) => (text === '' ? '' : fromDisplayUnit(displayUnit, Number(text), whole));
  const step = stepOf(input, value === '' ? min : value);
  const shown = value === '' ? '' : String(toDisplayUnit(displayUnit, value));
  return (
    <input
      type="number"
      // The arrow keys count from the smallest value, which is seldom a round number.
      min={Math.floor(toDisplayUnit(displayUnit, min) / step) * step}
      max={toDisplayUnit(displayUnit, max)}
      step={step}
      value={typed !== null && stored(typed) === value ? typed : shown}
      aria-invalid={isInvalid}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(stored(target.value));
      }}
      onBlur={() => setTyped(null)}
      onWheel={(event) => event.currentTarget.blur()}
      className={clsx(fieldStyle, isInvalid ? 'border-red' : 'border-rule-strong', className)}
      {...props}
    />
  );
}
