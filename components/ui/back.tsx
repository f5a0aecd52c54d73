import { useEffect, useEffectEvent } from 'react';

/** Used part of the Navigation API, which older browsers do not have. */
interface Navigation {
  addEventListener(type: 'navigate', listener: (event: NavigateEvent) => void): void;
  removeEventListener(type: 'navigate', listener: (event: NavigateEvent) => void): void;
  traverseTo(key: string): unknown;
}
interface NavigateEvent extends Event {
  readonly navigationType: string;
  readonly destination: { readonly key: string };
}

type BackTaker = (key: string) => void;

/** What is open or written, the newest last. */
let takers: readonly BackTaker[] = [];
/** What was asked about may go now. */
let isGoing = false;

function onNavigate(event: NavigateEvent): void {
  if (event.navigationType !== 'traverse') return;
  const newest = isGoing ? undefined : takers.at(-1);
  isGoing = false;
  // A browser lets nobody hold a page for ever.
  if (!newest || !event.cancelable) return;
  event.preventDefault();
  newest(event.destination.key);
}

const navigation = () => (window as unknown as { navigation?: Navigation }).navigation;

/**
 * Takes the browser's back button while it is on, before what took it earlier.
 * @param onBack told where it would have led: the key for `goBackTo`
 */
export function useBack(isOn: boolean, onBack: BackTaker): void {
  const take = useEffectEvent(onBack);
  useEffect(() => {
    if (!isOn) return undefined;
    const taker: BackTaker = (key) => take(key);
    if (takers.length === 0) navigation()?.addEventListener('navigate', onNavigate);
    takers = [...takers, taker];
    return () => {
      takers = takers.filter((each) => each !== taker);
      if (takers.length === 0) navigation()?.removeEventListener('navigate', onNavigate);
    };
  }, [isOn]);
}

/** Goes where the back button would have led, and nothing takes it this time. */
export function goBackTo(key: string): void {
  isGoing = true;
  navigation()?.traverseTo(key);
}
