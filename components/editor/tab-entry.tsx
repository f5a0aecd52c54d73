'use client';

import { useIsMounted } from '#components/ui/hooks';
import { fetchedLater } from '#components/ui/fetched-later';

const TabTools = fetchedLater(async () => (await import('#components/editor/tab-tools')).TabTools);

/** Fetches the tools over a draft where scripts run: in a tab of its own, never in the frame of the assistant. */
export function TabToolsLater({ nonce }: { readonly nonce: string }) {
  return useIsMounted() && <TabTools nonce={nonce} />;
}
