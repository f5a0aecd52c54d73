import { useState } from 'react';
import { refocus } from '#lib/focus/refocus';

/**
 * For the content of a dialog without a trigger: gives the focus back to what had it when the dialog appeared, or to the
 * composer where that is gone.
 * @param afterwards what is to happen then
 */
export function useReturnFocus(afterwards?: () => void): (event: Event) => void {
  const [former] = useState(() => document.activeElement);
  return (event) => {
    event.preventDefault();
    if (former instanceof HTMLElement) former.focus();
    refocus();
    afterwards?.();
  };
}
