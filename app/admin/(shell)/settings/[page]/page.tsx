import { translator } from '#components/i18n.ts';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { SettingsPage } from '#components/settings/settings-page';
import { isSettingsPage } from '#components/workspace/settings-pages.ts';
import packageJson from '#package.json' with { type: 'json' };
import { requirePage } from '#server/http/page-access';

const t = translator('settings');

interface PageProps {
  readonly params: Promise<{ readonly page: string }>;
}

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  const { page } = await params;
  return { title: isSettingsPage(page) ? `${t(`pages.${page}.title`)} · ${t('title')}` : t('title') };
}

/** One page of the settings. */
export default async function SettingsPageOfName({ params }: PageProps) {
  await requirePage('admin');
  const { page } = await params;
  if (!isSettingsPage(page)) notFound();
  return <SettingsPage name={page} about={{ version: packageJson.version, node: process.version }} />;
}
