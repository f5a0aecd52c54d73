/** For `onInteractOutside` of a dialog: what is offered in a toast above it can be taken without closing it. */
export function keepOpenForToasts(event: Event): void {
  if (event.target instanceof Element && event.target.closest('[data-sonner-toast]')) event.preventDefault();
}
