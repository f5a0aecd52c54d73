/**
 * The nonce of the document: the policy that it was opened with holds for as long as it is open, while a page that one
 * goes to from there brings the nonce of another request. Told on the way to libraries that look for it where bundlers
 * leave it (dialogs, which write a style that stops the page behind from scrolling).
 * @param nonce of this request, for the server, which knows no document
 */
export function shareNonce(nonce: string): string {
  if (typeof document === 'undefined') return nonce;
  const ofDocument = document.querySelector<HTMLElement>('script[nonce]')?.nonce ?? nonce;
  Object.assign(globalThis, { __webpack_nonce__: ofDocument });
  return ofDocument;
}
