import clsx from 'clsx';
import type { ReactNode } from 'react';

interface DropSheetProps {
  readonly title: string;
  readonly hint: string;
  readonly icon: ReactNode;
  /** What it lies over: the whole page, or what it stands in. */
  readonly over: 'page' | 'parent';
}

/** Says that what is above the page can be dropped. */
export function DropSheet({ title, hint, icon, over }: DropSheetProps) {
  return (
    <div
      className={clsx(
        'pointer-events-none inset-0 flex animate-rise items-center justify-center bg-paper/95 p-4 backdrop-blur-xs',
        over === 'page' ? 'fixed z-40' : 'absolute z-20',
      )}
    >
      <div className="flex size-full flex-col items-center justify-center gap-1 rounded-lg border border-dashed border-accent [&_svg]:mb-2 [&_svg]:size-5 [&_svg]:stroke-[1.5] [&_svg]:text-accent">
        {icon}
        <p className="font-serif text-xl">{title}</p>
        <p className="text-sm text-ink-2">{hint}</p>
      </div>
    </div>
  );
}
