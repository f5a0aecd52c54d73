import { z } from 'zod';
import { OAuthError } from '#server/core/oauth/oauth-error';
import { isRegistrable, MAX_REDIRECT_URI, redirectTarget } from '#server/core/oauth/redirect-uris';

/** Maximum characters of a client's name: more than is shown in lists. */
const MAX_NAME = 100;
const MAX_REDIRECT_URIS = 10;

/** What this server uses of a client's metadata (RFC 7591, 2). */
export interface ClientMetadata {
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
}

/** Unknown fields are ignored, as RFC 7591 asks; of the known ones, values that this server does not offer are refused. */
const metadataSchema = z.object({
  redirect_uris: z.array(z.string().max(MAX_REDIRECT_URI)).min(1).max(MAX_REDIRECT_URIS),
  client_name: z.string().max(1_000).optional(),
  grant_types: z.array(z.string().max(200)).max(20).optional(),
  response_types: z.array(z.string().max(200)).max(20).optional(),
});

/** Checks the metadata of a new client. @throws OAuthError */
export function readClientMetadata(sent: unknown): ClientMetadata {
  const parsed = metadataSchema.safeParse(sent);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.join('.') ?? '';
    throw new OAuthError(
      field.startsWith('redirect_uris') ? 'invalid_redirect_uri' : 'invalid_client_metadata',
      `The metadata is not valid${field === '' ? '' : ` (${field})`}.`,
    );
  }
  const { redirect_uris: redirectUris, client_name: name = '', grant_types, response_types } = parsed.data;
  if (!redirectUris.every(isRegistrable))
    throw new OAuthError(
      'invalid_redirect_uri',
      'redirect_uris may be https addresses, http addresses of localhost, 127.0.0.1 or [::1], and schemes that are a reversed domain name, without a query; without a fragment or user name.',
    );
  if (grant_types && !grant_types.includes('authorization_code'))
    throw new OAuthError('invalid_client_metadata', 'grant_types has to include "authorization_code".');
  if (response_types && !response_types.includes('code'))
    throw new OAuthError('invalid_client_metadata', 'response_types has to include "code".');
  return { client_name: shownName(name) || redirectTarget(redirectUris[0] ?? '').name, redirect_uris: redirectUris };
}

/** One line with at least one letter that is visible, else ''; without characters that are invisible or change the text's direction. */
function shownName(name: string): string {
  const visible = name.toWellFormed().replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{DI}]/gu, ' ');
  const line = visible.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_NAME).toWellFormed().trim();
  return /\p{L}/u.test(line) ? line : '';
}
