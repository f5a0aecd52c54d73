import type { Metadata } from 'next';
import Link from 'next/link';
import { notFound } from 'next/navigation';
import { translator } from '#components/i18n.ts';
import { HELP_PATH } from '#components/workspace/navigation.ts';
import { AppProviders } from '#components/shell/app-providers';
import { PageShell } from '#components/shell/page-shell';
import { helpPages } from '#app/help-pages';
import '../../globals.css';

const t = translator('help');

interface HelpPageProps {
  readonly params: Promise<{ readonly page?: readonly string[] }>;
}

/** The page at an address; undefined if there is none. */
async function pageOf({ params }: HelpPageProps) {
  const { page: [name = 'README', ...more] = [] } = await params;
  return more.length > 0 ? undefined : (await helpPages()).byName.get(name);
}

export async function generateMetadata(props: HelpPageProps): Promise<Metadata> {
  return { title: (await pageOf(props))?.title ?? t('title'), robots: { index: false } };
}

/** A page of the documentation, public. */
export default async function Help(props: HelpPageProps) {
  const page = await pageOf(props);
  if (!page) notFound();
  const { first } = await helpPages();
  return (
    <AppProviders>
      <PageShell
        items={[{ href: HELP_PATH, label: t('title') }]}
        text={{ nav: t('shell.nav'), home: t('shell.home'), skip: t('shell.skip'), back: t('shell.back') }}
        isPublic
      >
        <div className="grid gap-x-12 gap-y-8 lg:grid-cols-[15rem_minmax(0,1fr)]">
          <nav aria-label={t('pages')}>
            <ul className="border-l border-rule">
              {first.map(({ name, title }) => (
                <li key={name}>
                  <Link
                    href={`${HELP_PATH}/${name}`}
                    aria-current={name === page.name ? 'page' : undefined}
                    className="-ml-px block border-l-2 border-transparent py-1.5 pl-4 text-sm text-ink-2 hover:text-ink aria-[current]:border-accent aria-[current]:font-medium aria-[current]:text-ink"
                  >
                    {title}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <article
            lang="en"
            className="help-text min-w-0 max-w-[76ch]"
            dangerouslySetInnerHTML={{ __html: page.html }}
          />
        </div>
      </PageShell>
    </AppProviders>
  );
}
