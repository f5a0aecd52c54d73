import clsx from 'clsx';
import { Popover } from 'radix-ui';
import { DismissableLayer, Menu, Popper } from 'radix-ui/internal';
import { type ComponentProps, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { Rows } from '#components/ui/menu-rows';

/** Distance of a layer from its anchor, and from the edges of the window; pixels. */
const PLACE = { sideOffset: 6, collisionPadding: 8 };

interface MenuLayerProps {
  readonly id: string;
  /** The button at which it opens. */
  readonly anchor: HTMLElement;
  /** Id of the element that labels it. */
  readonly labelledBy: string;
  readonly align: 'start' | 'end';
  /** Opened by a key: the first row gets the focus. */
  readonly byKey: boolean;
  readonly onClose: () => void;
  /** Menu rows. */
  readonly children: ReactNode;
}

/** An open menu; the focus returns to its button on closing. */
export function MenuLayer({ id, anchor, labelledBy, align, byKey, onClose, children }: MenuLayerProps) {
  return (
    <Menu.Root open modal onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Menu.Anchor virtualRef={useRef(anchor)} />
      <Menu.Portal>
        <Menu.Content
          id={id}
          aria-labelledby={labelledBy}
          align={align}
          {...PLACE}
          onEntryFocus={(event) => {
            if (!byKey) return;
            // The menu did not exist when the key was pressed, so it moves the focus itself.
            event.preventDefault();
            const first = '[role^="menuitem"]:not([data-disabled])';
            (event.currentTarget as HTMLElement).querySelector<HTMLElement>(first)?.focus({ preventScroll: true });
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            anchor.focus();
          }}
          className="z-50 min-w-40 animate-rise rounded-lg border border-rule bg-sheet p-1 shadow-sheet"
        >
          <Rows value={Menu}>{children}</Rows>
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** Props of the sheet of a popover. */
export type PopoverSheetProps = ComponentProps<typeof Popover.Content>;

/** Sheet of a popover, over the page. */
export function PopoverSheet({ className, ...props }: PopoverSheetProps) {
  return (
    <Popover.Portal>
      <Popover.Content
        {...PLACE}
        className={clsx('z-50 animate-rise rounded-xl border border-rule bg-sheet shadow-sheet', className)}
        {...props}
      />
    </Popover.Portal>
  );
}

interface PopoverLayerProps extends PopoverSheetProps {
  /** The button at which it opens, and which closes it. */
  readonly anchor: RefObject<HTMLElement | null>;
  readonly onClose: () => void;
}

/** An open popover; the focus returns to its button on closing, unless it has moved elsewhere. */
export function PopoverLayer({ anchor, onClose, onInteractOutside, ...sheet }: PopoverLayerProps) {
  const isLeft = useRef(false);
  return (
    <Popover.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Popover.Anchor virtualRef={anchor} />
      <PopoverSheet
        {...sheet}
        onInteractOutside={(event) => {
          onInteractOutside?.(event);
          if (anchor.current?.contains(event.target as Node) === true) event.preventDefault();
          isLeft.current = !event.defaultPrevented;
        }}
        onCloseAutoFocus={(event) => {
          event.preventDefault();
          // A layer that was opened instead may have the focus by now.
          if (!isLeft.current && document.activeElement === document.body) anchor.current?.focus();
        }}
      />
    </Popover.Root>
  );
}

interface TipLayerProps {
  readonly id: string;
  readonly text: string;
  /** The control of the tooltip. */
  readonly anchor: Element;
  readonly onPointerEnter: () => void;
  readonly onPointerLeave: () => void;
  readonly onClose: () => void;
}

/** A tooltip next to a control. */
export function TipLayer({ id, text, anchor, onPointerEnter, onPointerLeave, onClose }: TipLayerProps) {
  useEffect(() => {
    const onScroll = ({ target }: Event) => {
      if (target instanceof Node && target.contains(anchor)) onClose();
    };
    window.addEventListener('scroll', onScroll, { capture: true });
    return () => window.removeEventListener('scroll', onScroll, { capture: true });
  }, [anchor, onClose]);
  return (
    <Popper.Root>
      <Popper.Anchor virtualRef={useRef(anchor)} />
      {createPortal(
        <DismissableLayer.Root asChild onFocusOutside={(event) => event.preventDefault()} onDismiss={onClose}>
          <Popper.Content
            role="tooltip"
            id={id}
            side="top"
            {...PLACE}
            onPointerEnter={onPointerEnter}
            onPointerLeave={onPointerLeave}
            className="z-50 max-w-64 animate-rise rounded-md bg-ink px-2 py-1 text-xs text-paper"
          >
            {text}
          </Popper.Content>
        </DismissableLayer.Root>,
        document.body,
      )}
    </Popper.Root>
  );
}
