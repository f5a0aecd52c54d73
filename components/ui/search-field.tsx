import clsx from 'clsx';
import { Search } from 'lucide-react';
import { type ComponentProps, useImperativeHandle } from 'react';
import { useTypedEarlier } from '#lib/ui/use-typed-earlier';

interface SearchFieldProps extends Omit<ComponentProps<'input'>, 'onChange' | 'aria-label'> {
  /** What is searched; its name and its placeholder. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** On a surface of its own, with an edge; else set into the one it stands on. */
  readonly isOutlined?: boolean;
}

/** Where one types what to look for. `className` is of the box around it. */
export function SearchField({ ref, label, onChange, isOutlined = true, className, ...props }: SearchFieldProps) {
  const field = useTypedEarlier(props.value, onChange);
  useImperativeHandle(ref, () => field.current as HTMLInputElement, [field]);
  return (
    <div className={clsx('relative', className)}>
      <Search aria-hidden className="pointer-events-none absolute inset-y-0 left-2.5 my-auto size-4 text-ink-3" />
      <input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={label}
        onChange={(event) => onChange(event.target.value)}
        className={clsx(
          'w-full rounded-md pr-2 pl-8.5 text-sm outline-none placeholder:text-ink-3 focus-visible:ring-2 focus-visible:ring-accent',
          isOutlined ? 'h-9 border border-rule-strong bg-sheet' : 'h-8 bg-ink/5',
        )}
        {...props}
      />
    </div>
  );
}
