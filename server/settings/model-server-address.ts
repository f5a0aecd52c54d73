import { DEFAULT_API_PATH } from '#server/platform/config/env';
import { InvalidInputError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import { isPublicName } from '#server/platform/outgoing/public-addresses';

/**
 * The address of a model server in its stored form: with a protocol, and with a path. Conversations and the key are
 * sent to it, so the connection must be encrypted unless the address is not public.
 * @throws InvalidInputError with a sentence for the person who typed it
 */
export function modelServerAddress(typed: string): string {
  const text = typed.trim().replace(/\/+$/, '');
  const hasProtocol = /^[a-z][a-z\d+.-]*:\/\//i.test(text);
  const guess = `http://${text}`;
  const isInside = URL.canParse(guess) && !isPublicName(new URL(guess).hostname);
  const address = hasProtocol ? text : isInside ? guess : `https://${text}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (text === '' || !url || !/^https?:$/.test(url.protocol)) {
    throw new InvalidInputError(serverText('model-address-invalid'));
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidInputError(serverText('address-with-password'));
  }
  if (url.protocol === 'http:' && isPublicName(url.hostname)) {
    throw new InvalidInputError(serverText('model-address-unencrypted'));
  }
  const path = url.pathname === '/' ? DEFAULT_API_PATH : url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path}`;
}
