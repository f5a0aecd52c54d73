/** For a layer's `onOpenAutoFocus`: on its first button, focus would open that button's tooltip. */
export function focusItself(event: Event): void {
  event.preventDefault();
  (event.currentTarget as HTMLElement).focus();
}
