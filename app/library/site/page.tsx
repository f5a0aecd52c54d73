import type { Metadata } from 'next';
import { SiteSettingsScreen } from '#components/site/site-settings-screen';
import { translator } from '#components/i18n.ts';
import { requirePage } from '#server/http/page-access';

const t = translator('siteSettings');

export const generateMetadata = (): Metadata => ({ title: t('title') });

/** Name, theme and menu of the site. */
export default async function SiteSettingsPage() {
  await requirePage('content:read');
  return <SiteSettingsScreen />;
}
