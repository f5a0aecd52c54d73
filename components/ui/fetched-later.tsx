import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { toast } from 'sonner';
import { strings } from '#components/words';

interface NotFetchedProps {
  readonly onClose?: () => void;
  readonly onOpenChange?: (isOpen: boolean) => void;
}

/** Closes what is not there, so that nothing waits for it, and says so. */
function NotFetched({ onClose, onOpenChange }: NotFetchedProps) {
  useEffect(() => {
    toast.error(strings.common.notFetched, { id: 'not-fetched' });
    onClose?.();
    onOpenChange?.(false);
  }, [onClose, onOpenChange]);
  return null;
}

/**
 * A `lazy` that shows something else where its code could not be fetched. It stays failed, as React keeps it: another
 * one, which tries again, is handed over for whoever is drawn next.
 */
export function lazyAgain<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  Failed: ComponentType<Props>,
  onNext: (next: ComponentType<Props>) => void,
): ComponentType<Props> {
  return lazy(async (): Promise<{ default: ComponentType<Props> }> => {
    try {
      return await load();
    } catch {
      onNext(lazyAgain(load, Failed, onNext));
      return { default: Failed };
    }
  });
}

/** A component whose code is fetched later. */
export type FetchedLater<Props extends object> = ComponentType<Props> & {
  /** Fetches it before it is shown, so that it then is there at once. @throws what `import` throws */
  readonly fetch: () => Promise<unknown>;
};

/**
 * A component whose code is fetched when it is first shown. Where no server answers, or a newer one that has that code
 * no longer, the rest of the page stays: the user is told, it is closed (`onClose`, `onOpenChange`), and the next time it is tried again.
 * @param fallback stands in its place until then; a function where it needs the same properties
 */
export function fetchedLater<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: ReactNode | ((props: Props) => ReactNode) = null,
): FetchedLater<Props> {
  let there: ComponentType<Props> | null = null;
  const fetched = async () => ({ default: (there = await load()) });
  let newest = lazyAgain<Props>(fetched, NotFetched, (next) => (newest = next));

  function Later(props: Props) {
    const [Component] = useState(() => there ?? newest);
    return (
      <Suspense fallback={typeof fallback === 'function' ? fallback(props) : fallback}>
        <Component {...props} />
      </Suspense>
    );
  }
  return Object.assign(Later, { fetch: fetched });
}
