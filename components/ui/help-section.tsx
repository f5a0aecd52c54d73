import type { ReactNode } from 'react';
import { HelpLink } from '#components/ui/help-link';

/** The address of a part of the page. */
export const sectionId = (name: string) => `settings-${name}`;

interface SectionProps {
  readonly name: string;
  readonly title: string;
  readonly body: string;
  readonly children: ReactNode;
}

/** A part of the page, with its heading. */
export function Section({ name, title, body, children }: SectionProps) {
  return (
    <section
      id={sectionId(name)}
      aria-labelledby={`${sectionId(name)}-title`}
      className="scroll-mt-20 pb-14 max-lg:pt-2"
    >
      <div className="flex items-center gap-1.5">
        <h2 id={`${sectionId(name)}-title`} className="font-serif text-xl font-medium tracking-[-0.01em]">
          {title}
        </h2>
        <HelpLink about={name} title={title} />
      </div>
      <p className="mt-0.5 mb-4 max-w-[62ch] text-sm text-ink-2">{body}</p>
      {children}
    </section>
  );
}
