/**
 * For the `ref` of a field that opens because the user asked to change its text: the cursor goes behind the last word. It
 * may open late: whoever writes somewhere else by then is left there.
 */
export function focusAtEnd(field: HTMLTextAreaElement | null): void {
  const { activeElement } = document;
  if (!field || activeElement === field || isWritten(activeElement)) return;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}

function isWritten(element: Element | null): boolean {
  return element?.matches('input, textarea') === true && (element as HTMLTextAreaElement).value !== '';
}
