/**
 * Addresses of files go to the provider as they are. The SDK's default is to fetch them here for models that take no
 * addresses: whoever wrote one could make this server call any host, and a dead link would end every later turn.
 */
export const neverDownload = (wanted: readonly unknown[]) => Promise.resolve(wanted.map(() => null));
