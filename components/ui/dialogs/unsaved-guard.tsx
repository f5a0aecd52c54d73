import { useRouter } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import { goBackTo, useBack } from '#components/ui/dialogs/back-button.ts';
import { ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';

/** A navigation that waits for the user's decision. */
interface Departure {
  readonly go: () => void;
}

interface UnsavedGuardProps {
  readonly isDirty: boolean;
  readonly title: string;
  readonly body: string;
  /** Label of the button that leaves the page anyway. */
  readonly leave: string;
}

/**
 * Asks for confirmation before the user leaves a page with unsaved changes: by a link, by the browser's back button, or
 * by closing it, where the browser itself asks.
 */
export function UnsavedGuard({ isDirty, title, body, leave }: UnsavedGuardProps) {
  const router = useRouter();
  const [departure, setDeparture] = useState<Departure | null>(null);
  const isLeaving = useRef(false);

  useEffect(() => {
    if (!isDirty) return;
    isLeaving.current = false;
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const href = plainLink(event);
      if (href === null || isLeaving.current) return;
      event.preventDefault();
      event.stopPropagation();
      setDeparture({ go: () => router.push(href) });
    };
    window.addEventListener('beforeunload', onUnload);
    document.addEventListener('click', onClick, { capture: true });
    return () => {
      window.removeEventListener('beforeunload', onUnload);
      document.removeEventListener('click', onClick, { capture: true });
    };
  }, [isDirty, router]);
  useBack(isDirty, (key) => setDeparture({ go: () => goBackTo(key) }));

  return (
    <ConfirmDialog
      open={departure !== null}
      onOpenChange={(isOpen) => !isOpen && setDeparture(null)}
      title={title}
      body={body}
      confirm={leave}
      onConfirm={() => {
        isLeaving.current = true;
        departure?.go();
        setDeparture(null);
      }}
    />
  );
}

/**
 * The address of a clicked link to another page of this app, without modifier keys that open it elsewhere; else null.
 */
function plainLink(event: MouseEvent): string | null {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link?.href || link.target === '_blank' || link.origin !== location.origin) return null;
  return link.pathname === location.pathname ? null : `${link.pathname}${link.search}${link.hash}`;
}
