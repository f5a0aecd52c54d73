'use client';

import { useIsMounted } from '#components/ui/hooks';
import { fetchedLater } from '#components/ui/fetched-later';
import { useEffect } from 'react';

const TabTools = fetchedLater(async () => (await import('#components/editor/tab-tools')).TabTools);

/** Fetches the tools over a draft where scripts run: in a tab of its own, never in the frame of the assistant. */
export function TabToolsLater({ nonce }: { readonly nonce: string }) {
  return useIsMounted() && <TabTools nonce={nonce} />;
}

/** Scrolls to a section of the page and marks it: the one that was just edited. Renders nothing itself. */
export function SectionHighlight({ sectionId }: { readonly sectionId: string }) {
  useEffect(() => {
    const section = document.getElementById(sectionId);
    if (section === null) return undefined;
    const calm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    section.scrollIntoView({ block: 'center', behavior: calm ? 'instant' : 'smooth' });
    section.dataset['highlighted'] = '';
    return () => {
      delete section.dataset['highlighted'];
    };
  }, [sectionId]);
  return null;
}
