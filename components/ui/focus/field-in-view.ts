/**
 * Scrolls to the focused field if it is not in view. A large field is not scrolled, because the browser shows its
 * cursor.
 */
export function showField(): void {
  const { activeElement } = document;
  if (activeElement?.matches('input, textarea') !== true) return;
  if (activeElement.clientHeight < window.innerHeight / 3) activeElement.scrollIntoView({ block: 'nearest' });
}

/**
 * Keeps the focused field visible while the keyboard of a phone reduces the window. @returns function that ends this
 */
export function keepFieldInView(): () => void {
  window.addEventListener('resize', showField);
  return () => window.removeEventListener('resize', showField);
}
