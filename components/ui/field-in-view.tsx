/** Scrolls to the field that is written in, as far as it is not in view. A large one stays: the browser shows its cursor. */
export function showField(): void {
  const { activeElement } = document;
  if (activeElement?.matches('input, textarea') !== true) return;
  if (activeElement.clientHeight < window.innerHeight / 3) activeElement.scrollIntoView({ block: 'nearest' });
}

/** Keeps the field that is written in where it can be seen while the keyboard of a phone takes room. @returns ends it */
export function keepFieldInView(): () => void {
  window.addEventListener('resize', showField);
  return () => window.removeEventListener('resize', showField);
}
