import clsx from 'clsx';
import { isComposing } from '#lib/ui/is-composing';

interface LineFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly placeholder?: string;
  readonly className?: string;
  readonly onChange: (value: string) => void;
  /** Enter was pressed: one line is all there is. */
  readonly onEnter: () => void;
}

/** One line of text, shown whole however long it is. */
export function LineField({ id, label, value, problem, className, onChange, onEnter, ...rest }: LineFieldProps) {
  return (
    <div className={clsx('min-w-0', className)}>
      <textarea
        id={id}
        rows={1}
        aria-label={label}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        value={value}
        onChange={(event) => onChange(event.target.value.replaceAll(/\s*\n\s*/g, ' '))}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || isComposing(event)) return;
          event.preventDefault();
          onEnter();
        }}
        className={clsx(
          'block min-h-9 w-full resize-none rounded-md border bg-sheet px-3 py-1.5 text-base field-sizing-content outline-none',
          'placeholder:text-ink-3 hover:border-ink-3 focus-visible:ring-2 focus-visible:ring-accent',
          problem === undefined ? 'border-rule-strong' : 'border-red',
        )}
        {...rest}
      />
      {problem !== undefined && (
        <p id={`${id}-problem`} role="alert" className="mt-1 text-sm text-red">
          {problem}
        </p>
      )}
    </div>
  );
}
