'use client';

import { useEffect } from 'react';

/** Scrolls to a section of the page and marks it: the one that was just edited. Renders nothing itself. */
export function SectionHighlight({ sectionId }: { readonly sectionId: string }) {
  useEffect(() => {
    const section = document.getElementById(sectionId);
    if (section === null) return undefined;
    const reducesMotion = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    section.scrollIntoView({ block: 'center', behavior: reducesMotion ? 'instant' : 'smooth' });
    section.dataset['highlighted'] = '';
    return () => {
      delete section.dataset['highlighted'];
    };
  }, [sectionId]);
  return null;
}
