import { type ComponentType, useEffect } from 'react';
import { toast } from 'sonner';
import { translator } from '#components/i18n.ts';
import { connection } from '#components/api/connection.ts';

const t = translator('shared');

interface NotLoadedProps {
  readonly onClose?: () => void;
  readonly onOpenChange?: (isOpen: boolean) => void;
}

/** Closes the component that could not be loaded, so that its opener does not wait for it, and reports the failure. */
function NotLoaded({ onClose, onOpenChange }: NotLoadedProps) {
  useEffect(() => {
    toast.error(t('common.notFetched'), { id: 'not-loaded' });
    onClose?.();
    onOpenChange?.(false);
  }, [onClose, onOpenChange]);
  return null;
}

function untilOnline(): Promise<void> {
  return new Promise((resolve) => {
    if (connection.state === 'online') return resolve();
    const end = connection.subscribe(() => {
      if (connection.state === 'offline') return;
      end();
      resolve();
    });
  });
}

/**
 * Loads a component for `next/dynamic`, which would replace the whole page by an error page if that failed. While the
 * server cannot be reached, waits and then tries again. If the server no longer has the code, because a newer version
 * was installed, returns a component that asks the user to reload the page.
 */
export async function loadCode<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): Promise<ComponentType<Props>> {
  for (;;) {
    try {
      return await load();
    } catch {
      if (await connection.check()) return NotLoaded as ComponentType<Props>;
      await untilOnline();
    }
  }
}
