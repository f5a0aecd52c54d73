import clsx from 'clsx';
import type { FieldProps } from '#components/settings/inputs/setting-input-field';
import { settingsStrings } from '#lib/strings/settings';

interface ChoiceFieldProps extends FieldProps<string> {
  readonly names: readonly string[];
}

/** One of a few names, each with what it does. */
export function ChoiceField({ id, labelId, describedBy, isInvalid, names, value, onChange }: ChoiceFieldProps) {
  return (
    <div
      role="radiogroup"
      aria-labelledby={labelId}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      className="overflow-hidden rounded-lg border border-rule-strong bg-sheet"
    >
      {names.map((name, index) => {
        const choice = settingsStrings.choices[name] ?? { name, effect: '' };
        const isChosen = name === value;
        return (
          <label
            key={name}
            className={clsx(
              'flex cursor-pointer gap-3 border-b border-rule px-4 py-3 last:border-b-0 has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent',
              isChosen ? 'bg-accent-wash' : 'hover:bg-ink/3',
            )}
          >
            <input
              type="radio"
              id={index === 0 ? id : undefined}
              name={id}
              value={name}
              checked={isChosen}
              aria-describedby={`${id}-${name}`}
              aria-label={choice.name}
              onChange={() => onChange(name)}
              className="mt-1 size-4 shrink-0 accent-accent outline-none"
            />
            <span className="min-w-0">
              <span className="block text-sm font-medium">{choice.name}</span>
              <span id={`${id}-${name}`} className="block text-sm text-ink-2">
                {choice.effect}
              </span>
            </span>
          </label>
        );
      })}
    </div>
  );
}
