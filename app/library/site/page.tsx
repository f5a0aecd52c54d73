import type { Metadata } from 'next';
import { SiteSettingsScreen } from '#components/site/site-settings-screen';
import { siteSettingsStrings } from '#components/site/words.ts';
import { requirePage } from '#server/http/page-access';

export const generateMetadata = (): Metadata => ({ title: siteSettingsStrings.title });

/** Name, theme and menu of the site. */
export default async function SiteSettingsPage() {
  await requirePage('content:read');
  return <SiteSettingsScreen />;
}
