'use client';

import { translator } from '#components/i18n.ts';

const t = translator('shared');

/** The product's name with the line that runs through it. */
export function Wordmark() {
  return (
    <span className="relative inline-block font-serif text-lg font-medium tracking-[-0.01em]">
      {t('product')}
      <span aria-hidden className="absolute -right-2 bottom-[0.2rem] -left-1 h-[2px] rounded-full bg-accent" />
    </span>
  );
}
