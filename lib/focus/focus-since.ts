/**
 * Remembers where the focus is now. Once a late answer is there, tells whether it may be moved: not away from where the
 * user has gone meanwhile, whose next keys would go elsewhere.
 */
export function focusSince(): { readonly mayMove: () => boolean } {
  const before = document.activeElement;
  return { mayMove: () => [before, document.body].includes(document.activeElement) };
}
