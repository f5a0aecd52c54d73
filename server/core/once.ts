/** Makes a value when it is first asked for, and keeps it. A failure is not kept: the next call tries again. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => {
    if (kept === undefined) {
      const making = make();
      kept = making;
      making.catch(() => {
        kept = undefined;
      });
    }
    return kept;
  };
}
