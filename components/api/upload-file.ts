import { ApiError } from '#components/api/api-error.ts';
import { connection } from '#components/api/connection.ts';
import { askToSignInAgain } from '#components/api/sign-in-again.ts';
import { type AddressParts, type Answer, type Input, writeAddress } from '#components/api/routes.ts';
import { SITE_HEADER, tabSite } from '#components/api/tab-site.ts';

/** Paths that take a file. */
type UploadPath =
  | '/api/content/imports'
  | '/api/content/media'
  | '/api/content/media/{id}/replace'
  | '/api/sessions/{id}/attachments';

/** A file that the server stores for a future message. */
export type Attachment = Answer<'POST', '/api/sessions/{id}/attachments'>;

/** Uploads a file to a session; see `sendFile`. */
export function uploadFile(id: string, file: File, onProgress: (share: number) => void): Promise<Attachment> {
  return sendFile('/api/sessions/{id}/attachments', { params: { id } }, file, onProgress);
}

/**
 * Posts a file unchanged, with its name in the query. Does not use `fetch`, which reports no upload progress.
 * @param onProgress share that has been sent, 0 to 1
 * @throws ApiError
 */
export function sendFile<P extends UploadPath>(
  path: P,
  input: Omit<Input<'POST', P>, 'body'>,
  file: File,
  onProgress: (share: number) => void,
): Promise<Answer<'POST', P>> {
  const { params, query }: AddressParts = input;
  const address = writeAddress(path, { params, query: { ...query, filename: file.name || 'file' } });
  return postFile<Answer<'POST', P>>(address, file, onProgress, false);
}

/** @param isAgain true for the repetition after the user has signed in again */
function postFile<Data>(
  address: string,
  file: File,
  onProgress: (share: number) => void,
  isAgain: boolean,
): Promise<Data> {
  const { promise, resolve, reject } = Promise.withResolvers<Data>();
  const request = new XMLHttpRequest();
  request.open('POST', address);
  const siteId = tabSite();
  if (siteId !== null) request.setRequestHeader(SITE_HEADER, siteId);
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
  request.addEventListener('load', () => {
    const response = () => new Response(request.responseText || null, { status: request.status });
    // A response without JSON does not come from our server.
    const refuse = async () => Promise.reject(await ApiError.fromResponse(response()));
    const signedOut = async () =>
      !isAgain && (await askToSignInAgain('expired'))
        ? postFile<Data>(address, file, onProgress, true)
        : await refuse();
    if (request.status === 401) resolve(signedOut());
    else resolve(response().ok ? response().json().catch(refuse) : refuse());
  });
  request.addEventListener('error', () => {
    connection.reportLost();
    reject(ApiError.network(null));
  });
  request.send(file);
  return promise;
}
