import type { Metadata } from 'next';
import { SettingsScreen } from '#components/settings/settings-screen';
import { settingsStrings } from '#components/settings/words.ts';
import { requirePage } from '#server/http/page-access';

export const generateMetadata = (): Metadata => ({ title: settingsStrings.title });

/** All settings that can be changed while the server runs, and the environment it was started with. */
export default async function SettingsPage() {
  await requirePage('admin');
  return <SettingsScreen />;
}
