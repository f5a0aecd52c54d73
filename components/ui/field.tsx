import clsx from 'clsx';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { useTypedEarlier } from '#lib/ui/use-typed-earlier';

/** The look of a field for text or a number. */
export const fieldLook =
  'h-9 rounded-md border bg-sheet px-3 text-base tabular-nums outline-none hover:border-ink-3 focus-visible:ring-2 focus-visible:ring-accent';

/** The look of one in a form, as wide as that. */
export const formFieldLook = clsx(fieldLook, 'w-full border-rule-strong text-sm');

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  /** What is filled in; it takes the ids. */
  readonly children: (ids: { readonly id: string; readonly 'aria-describedby': string | undefined }) => ReactNode;
}

/** A line of a form: what is asked for, where to write it, and a hint. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      {children({ id, 'aria-describedby': hint === undefined ? undefined : `${id}-hint` })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="mt-1 text-xs text-ink-3">
          {hint}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends Omit<ComponentProps<'input'>, 'onChange' | 'value' | 'className' | 'ref'> {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A line of a form for a short text. */
export function TextField({ label, hint, onChange, ...input }: TextFieldProps) {
  const field = useTypedEarlier(input.value, onChange);
  return (
    <Field label={label} {...(hint !== undefined && { hint })}>
      {(ids) => (
        <input
          {...ids}
          ref={field}
          onChange={(event) => onChange(event.target.value)}
          className={formFieldLook}
          {...input}
        />
      )}
    </Field>
  );
}
