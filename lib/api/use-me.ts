import useSWR from 'swr';
import { accessPaths } from '#lib/access/access-client';
import type { Me } from '#server/core/people';

/** Who looks at this page; undefined until that is known. */
export function useMe(): Me | undefined {
  return useSWR<Me, Error>(accessPaths.me).data;
}
