import clsx from 'clsx';
import type { FieldProps } from '#components/settings/inputs/setting-input-field';
import { fieldLook } from '#components/ui/field';
import { stepOf } from '#lib/settings/setting-draft';
import { reading } from '#lib/settings/setting-text';
import type { SettingInput, SettingReference, SettingValue } from '#server/core/settings-report';

type NumberInput = Extract<SettingInput, { kind: 'number' }>;

interface NumberFieldProps extends FieldProps<SettingValue> {
  readonly setting: SettingReference;
  readonly input: NumberInput;
}

/** A number, its unit, and what it amounts to. */
export function NumberField({ setting, input, id, describedBy, isInvalid, value, onChange }: NumberFieldProps) {
  const meaning = reading(setting, value);
  return (
    <div className="flex items-center gap-2.5">
      <input
        id={id}
        type="number"
        min={input.min}
        max={input.max}
        step={stepOf(input, typeof value === 'number' ? value : input.min)}
        value={typeof value === 'number' ? value : ''}
        aria-describedby={describedBy}
        aria-invalid={isInvalid}
        onChange={(event) => onChange(Number.isNaN(event.target.valueAsNumber) ? '' : event.target.valueAsNumber)}
        onWheel={(event) => event.currentTarget.blur()}
        className={clsx(fieldLook, 'w-32 shrink-0', isInvalid ? 'border-red' : 'border-rule-strong')}
      />
      <span className="min-w-0 text-xs leading-tight text-ink-2">
        {setting.unit}
        {meaning !== null && <span className="block text-ink-3 tabular-nums">{meaning}</span>}
      </span>
    </div>
  );
}
