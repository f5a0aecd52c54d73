import type { ReactNode } from 'react';

interface PageTitleProps {
  readonly title: string;
  readonly intro?: string;
  /** Beside the title, at the end of the line. */
  readonly children?: ReactNode;
}

/** The head of an administrator's page. */
export function PageTitle({ title, intro, children }: PageTitleProps) {
  return (
    <header className="flex flex-wrap items-end justify-between gap-x-8 gap-y-3">
      <div className="min-w-0">
        <h1 className="font-serif text-3xl font-medium tracking-[-0.015em]">{title}</h1>
        {intro !== undefined && <p className="mt-1 max-w-[60ch] text-base text-ink-2">{intro}</p>}
      </div>
      {children}
    </header>
  );
}
