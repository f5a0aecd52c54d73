/** Calls `start` while the page can be seen, and what it gives back as soon as it cannot. Gives back what ends both. */
export function whileVisible(start: () => () => void): () => void {
  let stop: (() => void) | null = null;
  const update = () => {
    if (document.visibilityState === 'visible') {
      stop ??= start();
    } else {
      stop?.();
      stop = null;
    }
  };
  update();
  document.addEventListener('visibilitychange', update);
  return () => {
    document.removeEventListener('visibilitychange', update);
    stop?.();
  };
}
