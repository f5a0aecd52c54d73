'use client';

import type { ComponentProps } from 'react';

interface ToggleProps extends Omit<ComponentProps<'button'>, 'onChange'> {
  readonly checked: boolean;
  readonly onCheckedChange: (checked: boolean) => void;
}

/** An on/off switch. */
export function Toggle({ checked, onCheckedChange, ...props }: ToggleProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={checked}
      onClick={() => onCheckedChange(!checked)}
      {...props}
      className="group/toggle relative h-6 w-10 shrink-0 rounded-full bg-ink-3 transition-colors aria-checked:bg-accent"
    >
      <span className="block size-4.5 translate-x-[3px] rounded-full bg-sheet transition-transform group-aria-checked/toggle:translate-x-[19px]" />
    </button>
  );
}
