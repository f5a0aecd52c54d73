import { startTransition, useOptimistic } from 'react';
import clsx from 'clsx';
import { choiceLook, type ChoicesProps, switchLook } from '#components/ui/buttons';

interface SentSwitchProps<Value extends string> extends Pick<ChoicesProps<Value>, 'label' | 'value' | 'choices'> {
  /**
   * Sends the choice that replaces `before`. It is shown until the returned promise settles, when `value` has to be up to
   * date; where nothing is returned, as the user is asked first, `value` stays shown.
   */
  readonly onChange: (value: Value, before: Value) => Promise<unknown> | undefined;
}

/** As `Switch`, of which each choice is sent to the server at once: it takes a press, and no arrow makes it. */
export function SentSwitch<Value extends string>({ label, value, choices, onChange }: SentSwitchProps<Value>) {
  const [shown, show] = useOptimistic(value);
  const choose = (choice: Value) => {
    const sent = choice === shown ? undefined : onChange(choice, shown);
    if (sent === undefined) return;
    startTransition(async () => {
      show(choice);
      await sent;
    });
  };
  return (
    <fieldset aria-label={label} className={switchLook}>
      {(Object.entries(choices) as [Value, string][]).map(([choice, name]) => (
        <button
          key={choice}
          type="button"
          aria-pressed={choice === shown}
          onClick={() => choose(choice)}
          className={clsx(choiceLook, choice === shown && 'bg-sheet font-medium text-ink shadow-sm')}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}
