import { startTransition, useOptimistic } from 'react';
import clsx from 'clsx';
import { choiceStyle, type LabelledChoices, switchStyle } from '#components/ui/controls/choices';

interface SavedSwitchProps<Value extends string> extends LabelledChoices<Value> {
  /**
   * Sends the choice that replaces `before`. The choice is displayed until the returned promise settles, when `value`
   * must be up to date. If it returns undefined, because the user is asked first, `value` stays displayed.
   */
  readonly onChange: (value: Value, before: Value) => Promise<unknown> | undefined;
}

/** Like `Switch`, but sends each choice to the server immediately, so arrow keys do not choose; a press does. */
export function SavedSwitch<Value extends string>({ label, value, choices, onChange }: SavedSwitchProps<Value>) {
  const [shown, setShown] = useOptimistic(value);
  const choose = (choice: Value) => {
    const sent = choice === shown ? undefined : onChange(choice, shown);
    if (sent === undefined) return;
    startTransition(async () => {
      setShown(choice);
      await sent;
    });
  };
  return (
    <fieldset aria-label={label} className={switchStyle}>
      {(Object.entries(choices) as [Value, string][]).map(([choice, name]) => (
        <button
          key={choice}
          type="button"
          aria-pressed={choice === shown}
          onClick={() => choose(choice)}
          className={clsx(choiceStyle, choice === shown && 'bg-sheet font-medium text-ink shadow-sm')}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}
