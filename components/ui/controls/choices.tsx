'use client';

import clsx from 'clsx';
import type { KeyboardEvent } from 'react';

/** A value and the choices for it. */
export interface LabelledChoices<Value extends string> {
  readonly label: string;
  readonly value: Value;
  /** The choices in order, with their labels. */
  readonly choices: Readonly<Record<Value, string>>;
}

interface SwitchProps<Value extends string> extends LabelledChoices<Value> {
  readonly onChange: (value: Value) => void;
}

/** Props of a group of radio buttons. */
interface ChoicesProps<Value extends string> extends SwitchProps<Value> {
  readonly className: string;
  /** Classes of each choice. */
  readonly choiceClassName: string;
}

/** Radio buttons side by side. Arrow keys choose, and the group is one Tab stop. */
export function Choices<Value extends string>({ label, value, choices, onChange, ...look }: ChoicesProps<Value>) {
  const all = Object.entries(choices) as [Value, string][];
  const onKeyDown = (event: KeyboardEvent) => {
    const at = all.findIndex(([choice]) => choice === value);
    const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: -1 }[
      event.key
    ];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    const next = all.at(to % all.length);
    if (!next || next[0] === value) return;
    event.currentTarget.querySelectorAll('button')[all.indexOf(next)]?.focus();
    onChange(next[0]);
  };
  return (
    <div role="radiogroup" aria-label={label} tabIndex={-1} onKeyDown={onKeyDown} className={look.className}>
      {all.map(([choice, name]) => (
        <button
          key={choice}
          type="button"
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- looks as a button does
          role="radio"
          aria-checked={choice === value}
          tabIndex={choice === value ? 0 : -1}
          onClick={() => choice !== value && onChange(choice)}
          className={look.choiceClassName}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

/** CSS classes of a group of choices. */
export const switchStyle = 'flex h-8 shrink-0 rounded-md bg-ink/6 p-0.5';
/** CSS classes of each choice, whatever its state. */
export const choiceStyle = 'rounded-[5px] px-2.5 text-xs text-ink-2 transition-colors';

/** `Choices` in the usual style: a few choices side by side, one of them chosen. */
export function Switch<Value extends string>(props: SwitchProps<Value>) {
  return (
    <Choices
      {...props}
      className={switchStyle}
      choiceClassName={clsx(
        choiceStyle,
        'aria-checked:bg-sheet aria-checked:font-medium aria-checked:text-ink aria-checked:shadow-sm',
      )}
    />
  );
}
