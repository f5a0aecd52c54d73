import useSWR, { type SWRConfiguration, type SWRResponse } from 'swr';
import useSWRInfinite, { type SWRInfiniteConfiguration, type SWRInfiniteResponse } from 'swr/infinite';
import type { Address } from '#components/api/routes.ts';

/** Response of a GET request, cached by its address; null: nothing is requested. */
export function useApi<Data>(
  address: Address<Data> | null | undefined,
  options?: SWRConfiguration<Data, Error>,
): SWRResponse<Data, Error> {
  return useSWR<Data, Error>(address ?? null, options);
}

/** Pages of a list. @param addressOfPage address of a page, by its index and the page before; null: there are no more */
export function useApiPages<Data>(
  addressOfPage: (index: number, before: Data | null) => Address<Data> | null,
  options?: SWRInfiniteConfiguration<Data, Error>,
): SWRInfiniteResponse<Data, Error> {
  return useSWRInfinite<Data, Error>(addressOfPage, options);
}
