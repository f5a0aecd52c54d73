import clsx from 'clsx';
import { choiceLook, type ChoicesProps, switchLook } from '#components/ui/buttons';

/** As `Switch`, of which each choice is sent to the server at once: it takes a press, and no arrow makes it. */
export function SentSwitch<Value extends string>({
  label,
  value,
  choices,
  onChange,
}: Omit<ChoicesProps<Value>, 'className' | 'choiceClassName'>) {
  return (
    <fieldset aria-label={label} className={switchLook}>
      {(Object.entries(choices) as [Value, string][]).map(([choice, name]) => (
        <button
          key={choice}
          type="button"
          aria-pressed={choice === value}
          onClick={() => choice !== value && onChange(choice)}
          className={clsx(choiceLook, choice === value && 'bg-sheet font-medium text-ink shadow-sm')}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}
