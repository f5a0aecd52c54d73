import { type ReactNode, useId } from 'react';

interface SectionProps {
  readonly title: string;
  readonly intro?: string;
  /** Controls at the end of the title's line. */
  readonly controls?: ReactNode;
  readonly children: ReactNode;
}

/** A titled part of an administrator's page, under a rule. */
export function Section({ title, intro, controls, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="mt-14 border-t border-rule-strong pt-5">
      <header className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-3">
        <div>
          <h2 id={id} className="font-serif text-xl font-medium tracking-[-0.01em]">
            {title}
          </h2>
          {intro !== undefined && <p className="text-sm text-ink-2">{intro}</p>}
        </div>
        {controls}
      </header>
      <div className="mt-5">{children}</div>
    </section>
  );
}
