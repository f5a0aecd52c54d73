'use client';

import { useIsMounted } from '#components/ui/hooks.ts';
import dynamic from 'next/dynamic';
import { loadCode } from '#components/ui/load-code';

const TabTools = dynamic(() => loadCode(async () => (await import('#components/editor/screen/tab-tools')).TabTools), {
  ssr: false,
});

/** Loads the tools over a draft on pages with scripts: in a separate tab, never in the frame of the assistant. */
export function TabToolsLater({ nonce }: { readonly nonce: string }) {
  return useIsMounted() && <TabTools nonce={nonce} />;
}
