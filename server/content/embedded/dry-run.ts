/** Does all of `work`, with its checks and errors, and leaves nothing of it but the result. */
export async function dryRun<T, Transaction>(
  store: { write<Written>(work: (tx: Transaction) => Promise<Written>): Promise<Written> },
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  // Of this run alone: a store may itself rehearse what it is given.
  const end = new Error('Nothing is written.');
  let outcome: { readonly result: T } | undefined;
  try {
    await store.write(async (tx) => {
      outcome = { result: await work(tx) };
      throw end;
    });
  } catch (error) {
    if (error !== end || outcome === undefined) throw error;
  }
  if (outcome === undefined) throw new Error('A dry run did not end.');
  return outcome.result;
}
