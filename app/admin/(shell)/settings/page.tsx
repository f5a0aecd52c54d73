import type { Metadata } from 'next';
import { SettingsScreen } from '#components/settings/settings-screen';
import { settingsStrings } from '#components/settings/words';
import { requirePage } from '#server/http/page-access';

export const generateMetadata = (): Metadata => ({ title: settingsStrings.title });

/** Everything that can be set while the server runs, and what it was started with. */
export default async function SettingsPage() {
  await requirePage('admin');
  return <SettingsScreen />;
}
