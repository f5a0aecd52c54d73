'use client';

import { translator } from '#components/i18n.ts';
import { MenuChoice, MenuChoices } from '#components/ui/menu-rows';
import { Monitor, Moon, SunMedium } from 'lucide-react';
import { useTheme } from 'next-themes';
import { Menu } from '#components/ui/menus';

const t = translator('shared');

/** Menu to choose the theme of the interface: light, dark, or that of the system. */
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
          <span>{t('theme.label')}</span>
        </button>
      }
    >
      <MenuChoices value={theme} onValueChange={setTheme}>
        <MenuChoice value="light">
          <SunMedium aria-hidden />
          {t('theme.light')}
        </MenuChoice>
        <MenuChoice value="dark">
          <Moon aria-hidden />
          {t('theme.dark')}
        </MenuChoice>
        <MenuChoice value="system">
          <Monitor aria-hidden />
          {t('theme.system')}
        </MenuChoice>
      </MenuChoices>
    </Menu>
  );
}
