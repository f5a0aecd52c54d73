import { describeError } from '#server/http/error-response';

/**
 * JSON-RPC's error codes by ours; -32000 stands for every other refusal. `invalid_input` is "parse error": here it only means
 * a body that is not JSON, because the endpoint itself answers a JSON body that is not a valid message.
 */
const CODES: Readonly<Record<string, number>> = { invalid_input: -32_700, internal_error: -32_603 };
/** Rights that clients ask for unless they are told otherwise: publishing needs approvals then. */
const CHALLENGE_SCOPE = 'content:read content:draft';
/** First of the codes that JSON-RPC 2.0 leaves to servers. */
const REFUSED = -32_000;

/**
 * Any error in the format that clients of the Model Context Protocol read; with 401, a header asks for a bearer token.
 * @param metadata address of the metadata with which a client can connect itself (RFC 9728); null: only keys are accepted
 * @param sentToken true if the request had a token, which then is the reason for the 401 (RFC 6750, 3.1)
 */
export function rpcErrorResponse(error: unknown, metadata: string | null, sentToken = false): Response {
  const { code, message, status, headers } = describeError(error);
  const parts = ['realm="Throughline"'];
  if (sentToken) parts.push('error="invalid_token"');
  if (metadata !== null) parts.push(`resource_metadata="${metadata}"`, `scope="${CHALLENGE_SCOPE}"`);
  const challenge = `Bearer ${parts.join(', ')}`;
  return Response.json(
    { jsonrpc: '2.0', error: { code: CODES[code] ?? REFUSED, message }, id: null },
    { status, headers: { ...headers, ...(status === 401 && { 'www-authenticate': challenge }) } },
  );
}
