import { Dialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { focusItself } from '#lib/focus/focus-itself';

interface DrawerProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  readonly children: ReactNode;
}

/** A panel that slides over the page from the left, where there is no room beside it. */
export function Drawer({ open, onOpenChange, title, children }: DrawerProps) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/35" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={focusItself}
          className="fixed inset-y-0 left-0 z-40 outline-none w-[min(19rem,85vw)] border-r border-rule bg-desk shadow-sheet"
        >
          <Dialog.Title className="sr-only">{title}</Dialog.Title>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
