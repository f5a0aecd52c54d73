'use client';

import clsx from 'clsx';
import type { Menu } from 'radix-ui/internal';
import { type ComponentProps, createContext, use } from 'react';

/** Kinds of rows in a menu. */
type MenuRows = Pick<typeof Menu, 'Item' | 'RadioItem' | 'RadioGroup'>;

/** The row components of the open menu around a component; null outside a menu. */
export const Rows = createContext<MenuRows | null>(null);

/** CSS classes of a row in a menu. */
const menuRow =
  'flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left text-sm outline-none select-none data-[highlighted]:bg-ink/6 [&_svg]:size-4 [&_svg]:stroke-[1.75] [&_svg]:text-ink-3';

/** An action in a menu. */
export function MenuItem({ className, ...props }: ComponentProps<MenuRows['Item']>) {
  const rows = use(Rows);
  return rows && <rows.Item className={clsx(menuRow, className)} {...props} />;
}

/** A choice in a menu, with a mark if it is chosen. */
export function MenuChoice({ className, ...props }: ComponentProps<MenuRows['RadioItem']>) {
  const rows = use(Rows);
  return (
    rows && (
      <rows.RadioItem
        className={clsx(
          menuRow,
          'data-[state=checked]:text-accent data-[state=checked]:[&_svg]:text-accent',
          className,
        )}
        {...props}
      />
    )
  );
}

/** A group of menu rows of which one is chosen. */
export function MenuChoices(props: ComponentProps<MenuRows['RadioGroup']>) {
  const rows = use(Rows);
  return rows && <rows.RadioGroup {...props} />;
}
