import clsx from 'clsx';
import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';

interface RowToggleProps {
  readonly isOpen: boolean;
  /** Id of the element that the button shows and hides. */
  readonly controls: string;
  readonly onToggle: () => void;
  readonly className: string;
  /** Label of the button, such as the summary of a change. */
  readonly children: ReactNode;
}

/** Label of a row as a button that shows and hides the details of the row. */
export function RowToggle({ isOpen, controls, onToggle, className, children }: RowToggleProps) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      aria-controls={controls}
      onClick={onToggle}
      className={clsx(
        '-ml-1 flex flex-1 items-start gap-1.5 rounded-md px-1 py-0.5 text-left text-sm hover:bg-ink/4',
        className,
      )}
    >
      <ChevronRight
        aria-hidden
        className={clsx('mt-0.5 size-4 shrink-0 text-ink-3 transition-transform', isOpen && 'rotate-90')}
      />
      {children}
    </button>
  );
}
