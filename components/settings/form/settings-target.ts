import { createContext, useContext, useEffect } from 'react';

/** The element of a settings page that its address leads to. */
interface SettingsTarget {
  /** Id of the element; null: none, or it was shown already. */
  readonly elementId: string | null;
  /** Called when the element has been shown. */
  readonly onShown: () => void;
}

const none: SettingsTarget = { elementId: null, onShown: () => undefined };

/** Provided by the frame of the settings. */
export const SettingsTargetContext = createContext<SettingsTarget>(none);

/** The element that the address leads to; null: none. */
export const useTargetId = (): string | null => useContext(SettingsTargetContext).elementId;

/** First control of a row that can take the focus. */
const CONTROL = ':is(input, button, select, textarea, a[href]):not([disabled])';

/**
 * Scrolls to the element that the address leads to, and focuses the field in it; a section takes the focus itself. Used
 * by a page once its content is shown, because the browser looks for the element before that has loaded.
 */
export function useShowTarget(): void {
  const { elementId, onShown } = useContext(SettingsTargetContext);
  useEffect(() => {
    const element = elementId === null ? null : document.getElementById(elementId);
    if (!element) return;
    const isSection = element.tagName === 'SECTION';
    element.scrollIntoView({ block: isSection ? 'start' : 'center' });
    const control = isSection ? element : (element.querySelector<HTMLElement>(CONTROL) ?? element);
    control.focus({ preventScroll: true });
    onShown();
  }, [elementId, onShown]);
}
