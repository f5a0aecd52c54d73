import { describeError } from '#server/http/error-response';

/**
 * JSON-RPC's own codes where it has one; -32000 is anything else that the server says no to. Input is invalid here where
 * it is no JSON: what is wrong with a message is said by the endpoint.
 */
const CODES: Readonly<Record<string, number>> = { invalid_input: -32_700, internal_error: -32_603 };
const REFUSED = -32_000;

/** Any failure as clients of the Model Context Protocol read it; which key is needed is in a header. */
export function rpcErrorResponse(error: unknown): Response {
  const { code, message, status, headers } = describeError(error);
  return Response.json(
    { jsonrpc: '2.0', error: { code: CODES[code] ?? REFUSED, message }, id: null },
    { status, headers: { ...headers, ...(status === 401 && { 'www-authenticate': 'Bearer realm="Throughline"' }) } },
  );
}
