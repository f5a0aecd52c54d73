import { ApiError } from '#components/api/api-error.ts';
import { connection } from '#components/api/connection.ts';
import { askToSignInAgain } from '#components/api/sign-in-again.ts';
import { SITE_HEADER, tabSite } from '#components/api/tab-site.ts';

/** A file that the server stores for a future message. */
export interface Attachment {
  readonly id: string;
  readonly url: string;
  readonly mediaType: string;
  readonly filename: string;
  /** Bytes. */
  readonly size: number;
  /** Size of an image; pixels. */
  readonly width?: number;
  readonly height?: number;
}

/** Uploads a file to a session; see `sendFile`. */
export function uploadFile(sessionId: string, file: File, onProgress: (share: number) => void): Promise<Attachment> {
  return sendFile<Attachment>(`/api/sessions/${encodeURIComponent(sessionId)}/attachments`, file, onProgress);
}

/**
 * Posts a file unchanged, with its name added to the query. Does not use `fetch`, which reports no upload progress.
 * @param onProgress share that has been sent, 0 to 1
 * @param isAgain true for the repetition after the user has signed in again
 * @throws ApiError
 */
export function sendFile<T>(
  path: string,
  file: File,
  onProgress: (share: number) => void,
  isAgain = false,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const request = new XMLHttpRequest();
  request.open('POST', `${path}${path.includes('?') ? '&' : '?'}filename=${encodeURIComponent(file.name || 'file')}`);
  const siteId = tabSite();
  if (siteId !== null) request.setRequestHeader(SITE_HEADER, siteId);
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
  request.addEventListener('load', () => {
    const response = () => new Response(request.responseText || null, { status: request.status });
    // A response without JSON does not come from our server.
    const refuse = async () => Promise.reject(await ApiError.fromResponse(response()));
    const signedOut = async () =>
      !isAgain && (await askToSignInAgain('expired')) ? sendFile<T>(path, file, onProgress, true) : await refuse();
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
