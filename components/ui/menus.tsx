'use client';

import clsx from 'clsx';
import { Monitor, Moon, SunMedium } from 'lucide-react';
import { useTheme } from 'next-themes';
import { DropdownMenu, Popover } from 'radix-ui';
import type { ComponentProps, ReactNode } from 'react';
import { strings } from '#components/words';

interface MenuProps {
  readonly trigger: ReactNode;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
}

/** A menu that opens at a button. */
export function Menu({ trigger, children, align = 'end' }: MenuProps) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 min-w-40 animate-rise rounded-lg border border-rule bg-sheet p-1 shadow-sheet"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** Sheet of a popover, over the page. */
export function PopoverSheet({ className, ...props }: ComponentProps<typeof Popover.Content>) {
  return (
    <Popover.Portal>
      <Popover.Content
        sideOffset={6}
        collisionPadding={8}
        className={clsx('z-50 animate-rise rounded-xl border border-rule bg-sheet shadow-sheet', className)}
        {...props}
      />
    </Popover.Portal>
  );
}

/** The look of a row in any menu or list of choices. */
const menuRow =
  'flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left text-sm outline-none select-none data-[highlighted]:bg-ink/6 [&_svg]:size-4 [&_svg]:stroke-[1.75] [&_svg]:text-ink-3';

export function MenuItem({ className, ...props }: ComponentProps<typeof DropdownMenu.Item>) {
  return <DropdownMenu.Item className={clsx(menuRow, className)} {...props} />;
}

/**
 * Runs after the menu has returned the focus to its button, which it does with a timer, so that the dialog returns it
 * there too.
 */
export function afterMenu(ask: () => void): void {
  setTimeout(() => setTimeout(ask));
}

/** A choice of a menu, with a mark if it is chosen. */
export function MenuChoice({ className, ...props }: ComponentProps<typeof DropdownMenu.RadioItem>) {
  return (
    <DropdownMenu.RadioItem
      className={clsx(menuRow, 'data-[state=checked]:text-accent data-[state=checked]:[&_svg]:text-accent', className)}
      {...props}
    />
  );
}

export const MenuChoices = DropdownMenu.RadioGroup;

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
