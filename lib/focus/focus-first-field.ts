/** For a dialog that opens: its first field has the focus, not the button that closes it, which comes before. */
export function focusFirstField(event: Event): void {
  const field = (event.currentTarget as HTMLElement).querySelector<HTMLElement>('input, select, textarea');
  if (field === null) return;
  event.preventDefault();
  field.focus();
}
