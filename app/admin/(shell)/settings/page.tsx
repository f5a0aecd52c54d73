import { translator } from '#components/i18n.ts';
import type { Metadata } from 'next';
import { SettingsOverview } from '#components/settings/settings-overview';
import { requirePage } from '#server/http/page-access';

const t = translator('settings');

export const generateMetadata = (): Metadata => ({ title: t('title') });

/** The pages of the settings. */
export default async function SettingsOverviewPage() {
  await requirePage('admin');
  return <SettingsOverview />;
}
