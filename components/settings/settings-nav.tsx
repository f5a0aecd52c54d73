import { translator } from '#components/i18n.ts';
import clsx from 'clsx';
import Link from 'next/link';
import { sectionWords } from '#components/settings/search/section-words.ts';
import {
  sectionId,
  settingsPageNames,
  settingsPagePath,
  settingsPages,
  type SettingsPageName,
} from '#components/workspace/settings-pages.ts';

const t = translator('settings');

interface SettingsNavProps {
  /** The page that is shown; null: the overview. */
  readonly current: SettingsPageName | null;
  /** Called when a section of the current page is opened. */
  readonly onOpen: () => void;
}

/** Links to the pages of the settings, and to the sections of the current one; on wide screens only. */
export function SettingsNav({ current, onOpen }: SettingsNavProps) {
  return (
    <nav aria-label={t('index')} className="mt-1 hidden lg:block">
      <ul className="border-l border-rule">
        {settingsPageNames.map((page) => (
          <li key={page}>
            <Link
              href={settingsPagePath(page)}
              aria-current={page === current ? 'page' : undefined}
              className={clsx(
                '-ml-px block border-l-2 py-1.5 pl-4 text-sm',
                page === current
                  ? 'border-accent font-medium text-ink'
                  : 'border-transparent text-ink-2 hover:text-ink',
              )}
            >
              {t(`pages.${page}.title`)}
            </Link>
            {page === current && settingsPages[page].length > 1 && (
              <ul className="mb-1">
                {settingsPages[page].map((section) => (
                  <li key={section}>
                    <a
                      href={`#${sectionId(section)}`}
                      onClick={onOpen}
                      className="block py-1 pl-7 text-xs text-ink-2 hover:text-ink hover:underline"
                    >
                      {sectionWords(section).title}
                    </a>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}
