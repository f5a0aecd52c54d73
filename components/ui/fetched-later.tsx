import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { toast } from 'sonner';
import { strings } from '#components/words';

/** Closes what is not there, so that nothing waits for it, and says so. */
function NotFetched({ onClose }: { readonly onClose?: () => void }) {
  useEffect(() => {
    toast.error(strings.common.notFetched, { id: 'not-fetched' });
    onClose?.();
  }, [onClose]);
  return null;
}

/**
 * A component whose code is fetched when it is first shown. Where no server answers, or a newer one that has that code
 * no longer, the rest of the page stays: the user is told, its `onClose` is called, and the next time it is tried again.
 * @param fallback stands in its place until then; a function where it needs the same properties
 */
export function fetchedLater<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: ReactNode | ((props: Props) => ReactNode) = null,
): ComponentType<Props> {
  const attempt = () =>
    lazy(async (): Promise<{ default: ComponentType<Props> }> => {
      try {
        return { default: await load() };
      } catch {
        newest = attempt();
        return { default: NotFetched };
      }
    });
  let newest = attempt();

  return function FetchedLater(props: Props) {
    const [Component] = useState(() => newest);
    return (
      <Suspense fallback={typeof fallback === 'function' ? fallback(props) : fallback}>
        <Component {...props} />
      </Suspense>
    );
  };
}
