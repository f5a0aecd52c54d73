import { useState } from 'react';

/**
 * The data of a list: while that of another filter is loaded, what was there before. Not where it could not be loaded:
 * what is shown would be taken for what was asked for.
 */
export function useKeptData<Data>(data: Data | undefined, error: unknown): Data | undefined {
  const [kept, setKept] = useState(data);
  if (data !== undefined && data !== kept) setKept(data);
  return data ?? (error === undefined ? kept : undefined);
}
