'use client';

import { MenuChoice, MenuChoices } from '#components/ui/menu-rows';
import { Monitor, Moon, SunMedium } from 'lucide-react';
import { useTheme } from 'next-themes';
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
import { fetchedLater } from '#components/ui/fetched-later';
import type { PopoverSheetProps } from '#components/ui/layers';
import { strings } from '#components/words';

const MenuLayer = fetchedLater(async () => (await import('#components/ui/layers')).MenuLayer);
const PopoverLayer = fetchedLater(async () => (await import('#components/ui/layers')).PopoverLayer);

/** Fetches what opens at buttons. @throws what `import` throws */
export const fetchLayers = () => Promise.all([MenuLayer.fetch(), PopoverLayer.fetch()]);

/** Properties of the button that opens a layer. */
const triggerProps = (has: 'menu' | 'dialog', isOpen: boolean, layerId: string) => ({
  'aria-haspopup': has,
  'aria-expanded': isOpen,
  'aria-controls': isOpen ? layerId : undefined,
  'data-state': isOpen ? 'open' : 'closed',
});

interface MenuProps {
  /** The button. */
  readonly trigger: ReactElement<ComponentProps<'button'>>;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
}

/** A menu that opens at a button: with the press of a pointer, or with Enter, Space or the arrow down. */
export function Menu({ trigger, children, align = 'end' }: MenuProps) {
  const [opened, setOpened] = useState<{ readonly anchor: HTMLElement; readonly byKey: boolean } | null>(null);
  const [id, layerId] = [useId(), useId()];
  const isOpen = opened !== null;
  const toggle = (event: PointerEvent | KeyboardEvent, byKey: boolean) => {
    // The focus goes to the menu.
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
  /** The button; it is pressed to open it, and to close it. */
  readonly trigger: ReactElement<ComponentProps<'button'>>;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  /** Fetches its content: it opens once that is there, with the focus in it, or will not come. Default: it is there. */
  readonly fetch?: () => Promise<unknown>;
}

/** A sheet that opens at a button, over the page. */
export function Popover({ trigger, isOpen, onOpenChange, fetch, ...sheet }: PopoverProps) {
  const prepare = async () => void (await fetch?.().catch(() => undefined));
  const anchor = useRef<HTMLButtonElement>(null);
  const id = useId();
  return (
    <>
      {cloneElement(trigger, {
        ref: anchor,
        ...triggerProps('dialog', isOpen, id),
        onClick: () => (isOpen ? onOpenChange(false) : void prepare().then(() => onOpenChange(true))),
        ...(fetch && { onPointerEnter: () => void prepare(), onFocus: () => void prepare() }),
      })}
      {isOpen && <PopoverLayer {...sheet} anchor={anchor} id={id} onClose={() => onOpenChange(false)} />}
    </>
  );
}

/**
 * Runs after the menu has returned the focus to its button, which it does with a timer, so that the dialog returns it
 * there too.
 */
export function afterMenu(ask: () => void): void {
  setTimeout(() => setTimeout(ask));
}

/** Choice of the theme: light, dark or system. */
export function ThemeMenu() {
  const { theme = 'system', setTheme } = useTheme();
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className="flex h-8 items-center gap-2 rounded-md px-2 text-sm text-ink-2 hover:bg-ink/6 hover:text-ink [&_svg]:size-4 [&_svg]:stroke-[1.75]"
        >
          <SunMedium aria-hidden className="dark:hidden" />
          <Moon aria-hidden className="hidden dark:block" />
          <span>{strings.theme.label}</span>
        </button>
      }
    >
      <MenuChoices value={theme} onValueChange={setTheme}>
        <MenuChoice value="light">
          <SunMedium aria-hidden />
          {strings.theme.light}
        </MenuChoice>
        <MenuChoice value="dark">
          <Moon aria-hidden />
          {strings.theme.dark}
        </MenuChoice>
        <MenuChoice value="system">
          <Monitor aria-hidden />
          {strings.theme.system}
        </MenuChoice>
      </MenuChoices>
    </Menu>
  );
}
