import { useEffect, useEffectEvent } from 'react';

/** The used part of the Navigation API, which older browsers do not have. */
interface Navigation {
  addEventListener(type: 'navigate', listener: (event: NavigateEvent) => void): void;
  removeEventListener(type: 'navigate', listener: (event: NavigateEvent) => void): void;
  traverseTo(key: string): unknown;
}
interface NavigateEvent extends Event {
  readonly navigationType: string;
  readonly destination: { readonly key: string };
}

/** Receives the key of the history entry to which the back button would lead. */
type BackHandler = (key: string) => void;

/** Active handlers, newest last. */
let handlers: readonly BackHandler[] = [];
/** True while a navigation by `goBackTo` runs, which must not be intercepted. */
let isConfirmed = false;

function onNavigate(event: NavigateEvent): void {
  if (event.navigationType !== 'traverse') return;
  const newest = isConfirmed ? undefined : handlers.at(-1);
  isConfirmed = false;
  // Browsers do not let a page block navigation repeatedly.
  if (!newest || !event.cancelable) return;
  event.preventDefault();
  newest(event.destination.key);
}

const navigation = () => (window as unknown as { navigation?: Navigation }).navigation;

/**
 * Intercepts the browser's back button while `isOn`; of several, the handler mounted last is called. Has no effect in
 * browsers without the Navigation API.
 * @param onBack receives the key of the target, for `goBackTo`
 */
export function useBack(isOn: boolean, onBack: BackHandler): void {
  const take = useEffectEvent(onBack);
  useEffect(() => {
    if (!isOn) return undefined;
    const handler: BackHandler = (key) => take(key);
    if (handlers.length === 0) navigation()?.addEventListener('navigate', onNavigate);
    handlers = [...handlers, handler];
    return () => {
      handlers = handlers.filter((each) => each !== handler);
      if (handlers.length === 0) navigation()?.removeEventListener('navigate', onNavigate);
    };
  }, [isOn]);
}

/** Navigates to the target of the back button, without interception. */
export function goBackTo(key: string): void {
  isConfirmed = true;
  navigation()?.traverseTo(key);
}
