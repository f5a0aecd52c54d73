import clsx from 'clsx';
import { Toolbar } from 'radix-ui';
import type { ComponentProps } from 'react';
import { Tip } from '#components/ui/tip';

/** CSS classes of a button of the toolbar of a text. */
export const toolStyle = clsx(
  'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-2 transition-colors',
  'hover:bg-ink/6 hover:text-ink aria-pressed:bg-ink/6 aria-pressed:text-accent disabled:text-ink-3 pointer-coarse:size-10',
  'data-[on]:bg-ink/6 data-[on]:text-accent [&_svg]:size-[1.05rem] [&_svg]:stroke-[1.75]',
);

interface ToolTriggerProps extends ComponentProps<typeof Toolbar.Button> {
  readonly label: string;
  /** True if the menu is about something around the cursor. */
  readonly isOn: boolean;
}

/** Button of a menu in the toolbar of a text. */
export function ToolTrigger({ label, isOn, ...props }: ToolTriggerProps) {
  return (
    <Tip text={label}>
      <Toolbar.Button aria-label={label} data-on={isOn || undefined} className={toolStyle} {...props} />
    </Tip>
  );
}
