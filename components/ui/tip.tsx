import { Tooltip } from 'radix-ui';
import type { ReactElement } from 'react';

interface TipProps {
  readonly text: string;
  readonly children: ReactElement;
}

/** A short explanation that appears beside a control on hover and focus. */
export function Tip({ text, children }: TipProps) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-w-64 animate-rise rounded-md bg-ink px-2 py-1 text-xs text-paper"
        >
          {text}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
