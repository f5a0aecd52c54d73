import { useEffect } from 'react';

const EDITING = new Set(['Enter', 'Backspace', 'Delete', 'Escape']);

/**
 * Takes what is typed for something that is about to appear: else it would be written, or sent, where the focus still is.
 * Escape gives up waiting for it.
 */
export function HeldKeys({ onClose }: { readonly onClose: () => void }) {
  useEffect(() => {
    const hold = (event: KeyboardEvent) => {
      const isTyped = event.key.length === 1 || EDITING.has(event.key);
      if (!isTyped || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key === 'Escape') onClose();
    };
    window.addEventListener('keydown', hold, true);
    return () => window.removeEventListener('keydown', hold, true);
  }, [onClose]);
  return null;
}
