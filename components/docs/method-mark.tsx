import clsx from 'clsx';

/** The HTTP method of an operation, coloured by its effect. */
export function MethodMark({ method }: { readonly method: string }) {
  return (
    <span
      className={clsx(
        'inline-block w-14 shrink-0 font-mono text-2xs font-semibold uppercase',
        method === 'get' && 'text-accent',
        method === 'delete' && 'text-red',
        method !== 'get' && method !== 'delete' && 'text-amber',
      )}
    >
      {method}
    </span>
  );
}
