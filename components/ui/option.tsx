import { useId } from 'react';

interface OptionProps {
  readonly label: string;
  readonly hint: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** Something to tick, with what it means. */
export function Option({ label, hint, isOn, onChange }: OptionProps) {
  const id = useId();
  return (
    <div className="flex gap-2.5">
      <input
        id={id}
        type="checkbox"
        checked={isOn}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => onChange(target.checked)}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <div>
        <label htmlFor={id} className="text-sm">
          {label}
        </label>
        <p id={`${id}-hint`} className="text-xs text-ink-3">
          {hint}
        </p>
      </div>
    </div>
  );
}
