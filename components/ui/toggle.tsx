import { Switch } from 'radix-ui';
import type { ComponentProps } from 'react';

/** Switches something on or off. */
export function Toggle(props: ComponentProps<typeof Switch.Root>) {
  return (
    <Switch.Root
      {...props}
      className="relative h-6 w-10 shrink-0 rounded-full bg-ink-3 transition-colors data-[state=checked]:bg-accent"
    >
      <Switch.Thumb className="block size-4.5 translate-x-[3px] rounded-full bg-sheet transition-transform data-[state=checked]:translate-x-[19px]" />
    </Switch.Root>
  );
}
