import { ExternalLink } from 'lucide-react';
import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import {
  LIBRARY_CHANGES_PATH,
  LIBRARY_DESIGN_PATH,
  LIBRARY_IMPORT_PATH,
  LIBRARY_MEDIA_PATH,
  LIBRARY_MESSAGES_PATH,
  LIBRARY_PAGES_PATH,
  LIBRARY_SITE_PATH,
  LIBRARY_TRASH_PATH,
} from '#components/workspace/navigation.ts';
import { UnreadMark } from '#components/library/message-line';
import { translator } from '#components/i18n.ts';
import { AppProviders } from '#components/shell/app-providers';
import { NoSitePage, PageShell } from '#components/shell/page-shell';
import { EMBEDDED_SITE } from '#server/core/site/content';
import { allows } from '#server/core/admin/access-rights';
import { pageSite, requirePage, siteChoices, visitor } from '#server/http/page-access';
import { services } from '#server/services';
import '../globals.css';

const tSites = translator('sites');
const tImport = translator('import');
const tDesign = translator('design');
const tLibrary = translator('library');
const tFormMessages = translator('formMessages');

const t = translator('siteSettings');

export const generateMetadata = (): Metadata => ({ title: tLibrary('title'), robots: { index: false } });

/** Bar and main part of the library, with the name of the connected WordPress site. */
export default async function LibraryLayout({ children }: { readonly children: ReactNode }) {
  await requirePage('content:read');
  const { sites } = await services();
  const who = await visitor();
  const mayImport = who === null || allows(who.scopes, 'content:write');
  const siteId = await pageSite();
  const choices = await siteChoices(siteId);
  if (siteId === null)
    return (
      <AppProviders sites={choices}>
        <NoSitePage />
      </AppProviders>
    );
  const site = sites.wordPress(siteId);
  return (
    <AppProviders sites={choices}>
      <PageShell
        items={[
          { href: LIBRARY_PAGES_PATH, label: tLibrary('shell.pages'), short: tLibrary('shell.shortPages') },
          { href: LIBRARY_CHANGES_PATH, label: tLibrary('shell.changes') },
          { href: LIBRARY_MEDIA_PATH, label: tLibrary('shell.media') },
          ...(siteId === EMBEDDED_SITE
            ? [{ href: LIBRARY_MESSAGES_PATH, label: tFormMessages('title'), mark: <UnreadMark /> }]
            : []),
          { href: LIBRARY_SITE_PATH, label: t('tab') },
          { href: LIBRARY_DESIGN_PATH, label: tDesign('tab') },
          { href: LIBRARY_TRASH_PATH, label: tLibrary('shell.trash') },
          ...(mayImport ? [{ href: LIBRARY_IMPORT_PATH, label: tImport('tab'), short: tImport('shortTab') }] : []),
        ]}
        text={{
          nav: tLibrary('shell.nav'),
          home: tLibrary('shell.home'),
          skip: tLibrary('shell.skip'),
          back: tLibrary('shell.back'),
        }}
      >
        {site && (
          <a
            href={site.url}
            target="_blank"
            rel="noreferrer"
            className="mb-4 inline-flex max-w-full items-center gap-1.5 rounded-full border border-rule px-2.5 py-0.5 text-xs text-ink-2 hover:text-ink"
          >
            <span className="truncate">{tSites('badge', { name: site.name })}</span>
            <ExternalLink aria-hidden className="size-3 shrink-0" />
          </a>
        )}
        {children}
      </PageShell>
    </AppProviders>
  );
}
