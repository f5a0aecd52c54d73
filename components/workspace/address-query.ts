import { type ReadonlyURLSearchParams, useSearchParams } from 'next/navigation';
import { useState } from 'react';
import { replacePath } from '#components/workspace/navigation.ts';

/**
 * The query of the address, and a function that replaces the address. Next reports a new address only after a
 * transition; until then this hook returns the new query already, because React would otherwise reset the checkbox that
 * was just clicked.
 */
export function useAddressQuery(): readonly [URLSearchParams | ReadonlyURLSearchParams, (path: string) => void] {
  const known = useSearchParams();
  const [sent, setSent] = useState<{ readonly query: string; readonly before: string } | null>(null);
  const isPending = sent !== null && sent.before === known.toString();
  if (sent !== null && !isPending) setSent(null);
  const replace = (path: string) => {
    setSent({ query: new URL(path, window.location.href).search, before: known.toString() });
    replacePath(path);
  };
  return [isPending ? new URLSearchParams(sent.query) : known, replace];
}
