'use client';

import {
  cloneElement,
  type ComponentProps,
  type KeyboardEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  useId,
  useRef,
  useState,
} from 'react';
import { MenuLayer, PopoverLayer, type PopoverSheetProps } from '#components/ui/layers';

/** Props of the button that opens a layer. */
const triggerProps = (has: 'menu' | 'dialog', isOpen: boolean, layerId: string) => ({
  'aria-haspopup': has,
  'aria-expanded': isOpen,
  'aria-controls': isOpen ? layerId : undefined,
  'data-state': isOpen ? 'open' : 'closed',
});

interface MenuProps {
  /** The button that opens the menu. */
  readonly trigger: ReactElement<ComponentProps<'button'>>;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
}

/** A menu that opens at a button: on pointer down, or with Enter, Space or the down arrow. */
export function Menu({ trigger, children, align = 'end' }: MenuProps) {
  const [opened, setOpened] = useState<{ readonly anchor: HTMLElement; readonly byKey: boolean } | null>(null);
  const [id, layerId] = [useId(), useId()];
  const isOpen = opened !== null;
  const toggle = (event: PointerEvent | KeyboardEvent, byKey: boolean) => {
    // Keeps the button from taking the focus, which goes to the menu.
    if (!isOpen || byKey) event.preventDefault();
    setOpened(isOpen ? null : { anchor: event.currentTarget as HTMLElement, byKey });
  };
  return (
    <>
      {cloneElement(trigger, {
        id,
        ...triggerProps('menu', isOpen, layerId),
        onPointerDown: (event) => {
          if (event.button === 0 && !event.ctrlKey) toggle(event, false);
        },
        onKeyDown: (event) => {
          if (['Enter', ' ', 'ArrowDown'].includes(event.key)) toggle(event, true);
        },
      })}
      {opened && (
        <MenuLayer {...opened} id={layerId} labelledBy={id} align={align} onClose={() => setOpened(null)}>
          {children}
        </MenuLayer>
      )}
    </>
  );
}

interface PopoverProps extends Omit<PopoverSheetProps, 'id'> {
  /** The button that opens and closes it. */
  readonly trigger: ReactElement<ComponentProps<'button'>>;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}

/** A popover that opens at a button, over the page. */
export function Popover({ trigger, isOpen, onOpenChange, ...sheet }: PopoverProps) {
  const anchor = useRef<HTMLButtonElement>(null);
  const id = useId();
  return (
    <>
      {cloneElement(trigger, {
        ref: anchor,
        ...triggerProps('dialog', isOpen, id),
        onClick: () => onOpenChange(!isOpen),
      })}
      {isOpen && <PopoverLayer {...sheet} anchor={anchor} id={id} onClose={() => onOpenChange(false)} />}
    </>
  );
}

/**
 * Runs `action` after a closing menu has returned the focus to its button. A dialog that `action` opens then returns
 * the focus to that button too. The menu moves the focus in a timer, so this needs two.
 */
export function afterMenu(action: () => void): void {
  setTimeout(() => setTimeout(action));
}
