import clsx from 'clsx';
import { Search } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId, useImperativeHandle } from 'react';
import { useTypedEarlier } from '#components/ui/hooks.ts';

/** Classes of a text or number field. */
export const fieldStyle =
  'h-9 rounded-md border bg-sheet px-3 text-base tabular-nums outline-none hover:border-ink-3 focus-visible:ring-2 focus-visible:ring-accent aria-invalid:border-red';

/** Classes of such a field in a form, with full width. */
export const formFieldStyle = clsx(fieldStyle, 'w-full border-rule-strong text-sm');

/** Attributes that connect a control with its label, its hint and its problem. */
export interface ControlIds {
  readonly id?: string | undefined;
  readonly 'aria-describedby'?: string | undefined;
  readonly 'aria-invalid'?: ComponentProps<'input'>['aria-invalid'];
}

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  /** Renders the control with these ids. */
  readonly children: (ids: { readonly id: string; readonly 'aria-describedby': string | undefined }) => ReactNode;
}

/** A form row: a label, a control, and a hint. */
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

/** A form row for a short text. */
export function TextField({ label, hint, onChange, ...input }: TextFieldProps) {
  const field = useTypedEarlier(input.value, onChange);
  return (
    <Field label={label} {...(hint !== undefined && { hint })}>
      {(ids) => (
        <input
          {...ids}
          ref={field}
          onChange={(event) => onChange(event.target.value)}
          className={formFieldStyle}
          {...input}
        />
      )}
    </Field>
  );
}

interface SearchFieldProps extends Omit<ComponentProps<'input'>, 'onChange' | 'aria-label'> {
  /** Accessible name and placeholder. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** With a background and a border; otherwise it blends into its surroundings. */
  readonly isOutlined?: boolean;
}

/** Search field. `className` applies to the surrounding box. */
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

interface OptionProps {
  readonly label: string;
  readonly hint: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** Checkbox with an explanation. */
export function Option({ label, hint, isOn, onChange }: OptionProps) {
  const id = useId();
  return (
    <div className="flex gap-2.5">
      <input
        id={id}
        type="checkbox"
        checked={isOn}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => onChange(target.checked)}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <div>
        <label htmlFor={id} className="text-sm">
          {label}
        </label>
        <p id={`${id}-hint`} className="text-xs text-ink-3">
          {hint}
        </p>
      </div>
    </div>
  );
}

interface ChoiceFieldProps<T extends string> {
  readonly label: string;
  /** Label of the choice "any"; absent if a choice is required. */
  readonly any?: string;
  /** The choices in order, with their labels. */
  readonly choices: Readonly<Record<T, string>>;
  /** Null: any. */
  readonly value: T | null;
  readonly onChange: (value: T) => void;
  readonly onAny?: () => void;
}

/** Select field with its label next to it. */
export function ChoiceField<T extends string>({ label, any, choices, value, onChange, onAny }: ChoiceFieldProps<T>) {
  const id = useId();
  return (
    <div className="flex min-w-0 items-center gap-2">
      <label htmlFor={id} className="shrink-0 text-sm text-ink-2">
        {label}
      </label>
      <select
        id={id}
        value={value ?? ''}
        onChange={({ target }) => (target.value === '' ? onAny?.() : onChange(target.value as T))}
        className="h-9 min-w-0 rounded-md border border-rule-strong bg-sheet px-2 text-sm text-ink"
      >
        {any !== undefined && <option value="">{any}</option>}
        {Object.entries<string>(choices).map(([choice, name]) => (
          <option key={choice} value={choice}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
