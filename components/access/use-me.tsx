import useSWR from 'swr';
import type { Me } from '#server/core/people';
import { accessPaths } from '#components/api/paths';

/** The signed-in caller; undefined until known. */
export function useMe(): Me | undefined {
  return useSWR<Me, Error>(accessPaths.me).data;
}

/** True if the signed-in person may change drafts, which everybody may; false while it is not known who that is. */
export function useMayDraft(): boolean {
  return useMe() !== undefined;
}

/** True if the signed-in person may change what visitors see, unlike an author; false while that is not known. */
export function useMayPublish(): boolean {
  const me = useMe();
  return me !== undefined && me.role !== 'author';
}
