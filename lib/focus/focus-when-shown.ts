/** As the `ref` of what appears where something that had the focus went. */
export function focusWhenShown(element: HTMLElement | null): void {
  element?.focus();
}
