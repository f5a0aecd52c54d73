import { useState } from 'react';

/**
 * The data of a list; while the data of another filter is loading, the previous data. Not after an error, because the
 * previous data would be mistaken for the requested data.
 */
export function usePreviousData<Data>(data: Data | undefined, error: unknown): Data | undefined {
  const [kept, setKept] = useState(data);
  if (data !== undefined && data !== kept) setKept(data);
  return data ?? (error === undefined ? kept : undefined);
}
