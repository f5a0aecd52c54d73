import { messageOf } from '#components/api/api-error';
import { strings } from '#components/words';
import { useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { toast } from '#components/toast';

/** Tells the user that a request failed, and why. */
export function reportFailure(error: unknown): void {
  toast.error(strings.common.failed(messageOf(error)));
}

/** Long enough to read what was done, and to reach the button by keyboard; ms. */
const ACTION_MS = 12_000;

interface ToastOptions {
  /** Toasts with the same id replace each other. */
  readonly id?: string;
}

/** A word that something was done, with a button: mostly the way back. That its action failed is told, too. */
export function toastWithAction(
  message: string,
  label: string,
  action: () => void | Promise<void>,
  options: ToastOptions = {},
): void {
  let isTaken = false;
  const run = async () => {
    // A second click, while the toast leaves.
    if (isTaken) return;
    isTaken = true;
    try {
      await action();
    } catch (error) {
      reportFailure(error);
    }
  };
  toast(message, { ...options, duration: ACTION_MS, action: { label, onClick: () => void run() } });
}

/** For `onInteractOutside` of a dialog: keeps it open while a toast above it is used. */
export function keepOpenForToasts(event: Event): void {
  if (event.target instanceof Element && event.target.closest('[data-sonner-toast]')) event.preventDefault();
}

/** Height of a toast before it is measured, and the space around it; pixels. */
export const HEIGHT = 53;
export const AROUND = 8;

/** Rectangle of a toast, from the left and the lower edge of the window; pixels. */
export interface Place {
  readonly center: number;
  readonly bottom: number;
  readonly width: number;
}

export interface Shown {
  /** Place of the toast; null: there is none. */
  readonly place: Place | null;
  /** The element that makes room for it; null: it floats. */
  readonly host: HTMLElement | null;
  /** Height of the toast. */
  readonly height: number;
}

/** Order in which places are taken: in a layer over the page, in the conversation, beside it. */
const ranks = { layer: 2, page: 1, beside: 0 };

/** Places for a toast, the last mounted first among those of one rank. */
export let hosts: readonly { readonly element: HTMLElement; readonly rank: number }[] = [];
export const NOTHING: Shown = { place: null, host: null, height: HEIGHT };
let shown = NOTHING;
const listeners = new Set<() => void>();

/** Notes where the toast is, for what makes room for it. */
export function show(next: Shown): void {
  const isSame = next.host === shown.host && next.height === shown.height;
  if (isSame && JSON.stringify(next.place) === JSON.stringify(shown.place)) return;
  shown = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useShown = () =>
  useSyncExternalStore(
    subscribe,
    () => shown,
    () => NOTHING,
  );

interface ToastPlaceProps {
  /** Default `page`. */
  readonly rank?: keyof typeof ranks;
}

/** Makes room for a toast while there is one, so that it lies on nothing. */
export function ToastPlace({ rank = 'page' }: ToastPlaceProps) {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const { host, height } = useShown();
  useLayoutEffect(() => {
    if (!element) return undefined;
    hosts = [{ element, rank: ranks[rank] }, ...hosts].toSorted((a, b) => b.rank - a.rank);
    return () => {
      hosts = hosts.filter((each) => each.element !== element);
    };
  }, [element, rank]);
  const isTaken = host !== null && host === element;
  return (
    <div ref={setElement} aria-hidden className="shrink-0" style={{ height: isTaken ? height + 2 * AROUND : 0 }} />
  );
}
