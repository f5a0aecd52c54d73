/**
 * Runs `work` in a transaction that is rolled back: with all its checks and errors, but without storing anything.
 * @returns the result of `work`
 * @throws the errors of `work`
 */
export async function dryRun<T, Transaction>(
  store: { write<Written>(work: (tx: Transaction) => Promise<Written>): Promise<Written> },
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  // An error of its own for each run, because the store may itself use a dry run within the transaction.
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
