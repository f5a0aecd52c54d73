import { ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import { PageShell } from '#components/shell/page-shell';
import {
  LIBRARY_CHANGES_PATH,
  LIBRARY_IMPORT_PATH,
  LIBRARY_MEDIA_PATH,
  LIBRARY_TRASH_PATH,
} from '#components/desk/navigation';
import { libraryStrings } from '#components/library/words';
import { siteStrings } from '#components/settings/site-words';
import type { WordPressSite } from '#server/core/remote-site';

const { shell } = libraryStrings;

interface LibraryShellProps {
  /** The WordPress site that all of this is about; null: our own. */
  readonly site: Pick<WordPressSite, 'name' | 'url'> | null;
  readonly children: ReactNode;
}

/** Bar and main part of every page of the library. */
export function LibraryShell({ site, children }: LibraryShellProps) {
  return (
    <PageShell
      items={[
        { href: LIBRARY_CHANGES_PATH, label: shell.changes },
        { href: LIBRARY_MEDIA_PATH, label: shell.media },
        { href: LIBRARY_TRASH_PATH, label: shell.trash },
        { href: LIBRARY_IMPORT_PATH, label: shell.import, short: shell.shortImport },
      ]}
      text={{ nav: shell.nav, home: shell.home, skip: shell.skip, back: shell.back }}
    >
      {site && (
        <a
          href={site.url}
          target="_blank"
          rel="noreferrer"
          className="mb-4 inline-flex max-w-full items-center gap-1.5 rounded-full border border-rule px-2.5 py-0.5 text-xs text-ink-2 hover:text-ink"
        >
          <span className="truncate">{siteStrings.badge(site.name)}</span>
          <ExternalLink aria-hidden className="size-3 shrink-0" />
        </a>
      )}
      {children}
    </PageShell>
  );
}
