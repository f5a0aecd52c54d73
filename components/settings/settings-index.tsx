import clsx from 'clsx';
import { useEffect, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { sitesStrings } from '#components/settings/sites/words.ts';
import { settingsStrings } from '#components/settings/words.ts';
import type { SettingsReport } from '#server/core/admin/settings-report';
import { sectionId } from '#components/ui/help-section';

const tAccess = translator('access');

const t = translator('apiKeys');
const tProviders = translator('providers');

interface SettingsIndexProps {
  readonly report: SettingsReport;
  /** Names of settings with unsaved changes. */
  readonly changed: readonly string[];
  /** Other sections of the page with unsaved changes. */
  readonly unsaved: readonly string[];
}

/** The sections of the page in order, with their titles. */
function sectionsOfPage() {
  const groups = Object.entries(settingsStrings.groups);
  const [first, ...others] = groups.map(([name, { title }]) => ({ name, title }));
  return [
    { name: 'site', title: sitesStrings.title },
    { name: 'standing', title: settingsStrings.standing.title },
    first!,
    { name: 'providers', title: tProviders('title') },
    ...others.flatMap((group) =>
      group.name === 'tools' ? [group, { name: 'tool-servers', title: settingsStrings.toolServers.title }] : [group],
    ),
    { name: 'mail', title: settingsStrings.mail.title },
    { name: 'people', title: tAccess('people.title') },
    { name: 'personal-data', title: tAccess('personalData.title') },
    { name: 'api-keys', title: t('title') },
    { name: 'process', title: settingsStrings.process.title },
  ];
}

/** Table of contents next to the page, with a mark at sections with unsaved changes; on wide screens only. */
export function SettingsIndex({ report, changed, unsaved }: SettingsIndexProps) {
  const [sections] = useState(sectionsOfPage);
  const [ids] = useState(() => sections.map(({ name }) => sectionId(name)));
  const current = useCurrentSection(ids);
  const dirty = new Set<string>([
    ...report.reference.filter(({ name }) => changed.includes(name)).map(({ group }) => group),
    ...unsaved,
  ]);
  return (
    <nav aria-label={settingsStrings.index} className="mt-1 hidden lg:block">
      <ul className="border-l border-rule">
        {sections.map(({ name, title }) => {
          const isCurrent = current === sectionId(name);
          return (
            <li key={name}>
              <a
                href={`#${sectionId(name)}`}
                aria-current={isCurrent ? 'location' : undefined}
                className={clsx(
                  '-ml-px flex items-center gap-2 border-l-2 py-1.5 pl-4 text-sm',
                  isCurrent ? 'border-accent font-medium text-ink' : 'border-transparent text-ink-2 hover:text-ink',
                )}
              >
                {title}
                {dirty.has(name) && (
                  <span className="size-1.5 rounded-full bg-amber">
                    <span className="sr-only">{settingsStrings.sources.changed}</span>
                  </span>
                )}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

/** The section that the reader is in: the last one whose top is above the upper third of the window. */
function useCurrentSection(sectionIds: readonly string[]): string | null {
  const [current, setCurrent] = useState<string | null>(sectionIds[0] ?? null);

  useEffect(() => {
    let frame = 0;
    const update = () => {
      const line = window.innerHeight / 3;
      const above = sectionIds.filter(
        (id) => (document.getElementById(id)?.getBoundingClientRect().top ?? Infinity) < line,
      );
      setCurrent(above.at(-1) ?? sectionIds[0] ?? null);
    };
    const onScroll = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(update);
    };
    // The browser looked for the anchor before the settings had loaded.
    document.getElementById(window.location.hash.slice(1))?.scrollIntoView({ block: 'start' });
    update();
    // Captures scroll events of the scrolling part of the page.
    document.addEventListener('scroll', onScroll, { passive: true, capture: true });
    return () => {
      cancelAnimationFrame(frame);
      document.removeEventListener('scroll', onScroll, { capture: true });
    };
  }, [sectionIds]);

  return current;
}
