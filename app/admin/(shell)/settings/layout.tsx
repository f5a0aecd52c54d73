import type { ReactNode } from 'react';
import { SettingsFrame } from '#components/settings/settings-frame';

/** Title, search and navigation around the pages of the settings. */
export default function SettingsLayout({ children }: { readonly children: ReactNode }) {
  return <SettingsFrame>{children}</SettingsFrame>;
}
