'use client';

import clsx from 'clsx';
import { type ReactNode, useId } from 'react';
import { dates } from '#components/format.ts';
import { relativeTime } from '#components/ui/times.ts';
import { useNow } from '#components/ui/hooks.ts';

interface PageTitleProps {
  readonly title: string;
  readonly intro?: string;
  /** Next to the title, at the end of the line. */
  readonly children?: ReactNode;
}

/** The head of a page: its title, and a sentence about its purpose. */
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

interface SectionProps {
  readonly title: string;
  readonly intro?: ReactNode;
  /** Controls at the end of the title's line. */
  readonly controls?: ReactNode;
  readonly children: ReactNode;
}

/** A titled part of a page, under a rule. */
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

interface ScrollBoxProps {
  readonly label: string;
  /** Class that sets the height. */
  readonly className: string;
  readonly children: ReactNode;
}

/** Long content in a frame that scrolls separately, also by keyboard. */
export function ScrollBox({ label, className, children }: ScrollBoxProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section aria-label={label} tabIndex={0} className={clsx('overflow-auto', className)}>
      {children}
    </section>
  );
}

const whole = dates({ dateStyle: 'medium', timeStyle: 'medium' });

/** Time passed since `time` (epoch ms), with the exact time on hover. */
export function TimeAgo({ time }: { readonly time: number }) {
  const now = useNow(15_000);
  return (
    <time dateTime={new Date(time).toISOString()} title={now === null ? undefined : whole.format(time)}>
      {now === null ? '' : relativeTime(time, now)}
    </time>
  );
}
