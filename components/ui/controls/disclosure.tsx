'use client';

import clsx from 'clsx';
import { ChevronDown, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';

interface DisclosureProps {
  readonly title: string;
  /** `quiet`: styled as part of a text. Default `plain`. */
  readonly look?: 'plain' | 'quiet';
  readonly children: ReactNode;
}

/** Content that is shown and hidden by its title. */
export function Disclosure({ title, look = 'plain', children }: DisclosureProps) {
  const isQuiet = look === 'quiet';
  const Icon = isQuiet ? ChevronRight : ChevronDown;
  return (
    <details className={clsx('group/fold', !isQuiet && 'mt-2')}>
      <summary
        className={clsx(
          'flex w-fit cursor-pointer list-none items-center rounded-md text-ink-2 hover:text-ink [&::-webkit-details-marker]:hidden',
          isQuiet ? 'gap-1' : 'gap-1.5 text-sm font-medium',
        )}
      >
        <Icon
          aria-hidden
          className={clsx(
            'transition-transform',
            isQuiet ? 'size-3.5 group-open/fold:rotate-90' : 'size-4 group-open/fold:rotate-180',
          )}
        />
        {title}
      </summary>
      {children}
    </details>
  );
}
