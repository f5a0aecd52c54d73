'use client';

import { translator } from '#components/i18n.ts';
import Link from 'next/link';
import { settingsPageNames, settingsPagePath } from '#components/workspace/settings-pages.ts';

const t = translator('settings');

/** The pages of the settings, each with what it contains. */
export function SettingsOverview() {
  return (
    <ul aria-label={t('index')} className="max-w-3xl border-t border-rule">
      {settingsPageNames.map((page) => (
        <li key={page} className="border-b border-rule">
          <Link href={settingsPagePath(page)} className="-mx-2 block rounded-md px-2 py-4 hover:bg-ink/3">
            <span className="block text-base font-medium">{t(`pages.${page}.title`)}</span>
            <span className="mt-0.5 block max-w-[60ch] text-sm text-ink-2">{t(`pages.${page}.body`)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
