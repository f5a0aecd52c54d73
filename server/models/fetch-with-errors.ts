import { createOutgoingFetch } from '#server/outgoing/outgoing-fetch';

const fetchConfigured = createOutgoingFetch({ allowed: 'configured', redirects: 3 });

/** Where a body that tells of an error names no status: the failure is not ours. */
const BAD_GATEWAY = 502;

/**
 * `fetch` for model providers. Some answer with status 200 and a JSON error (OpenRouter does when its upstream fails
 * early, local servers for a prompt that is too long): the SDK's packages find no event in it, drop what it says and report
 * an empty answer. Here such an answer becomes an error response, with the status that it names, else 502. An event
 * stream passes through as it arrives.
 */
export const fetchWithErrors: typeof fetch = async (input, init) => {
  const response = await fetchConfigured(input, init);
  if (!response.ok || !/\bjson\b/i.test(response.headers.get('content-type') ?? '')) return response;
  const body = await response.clone().text();
  const status = statusIn(body);
  return status === null ? response : new Response(body, { status, headers: response.headers });
};

/** Null where the body tells of no error. */
function statusIn(body: string): number | null {
  const error = errorIn(body);
  if (error === null || error === undefined || error === '') return null;
  const { code, status } = error as { code?: unknown; status?: unknown };
  return [code, status].map(Number).find((named) => named >= 400 && named <= 599) ?? BAD_GATEWAY;
}

function errorIn(body: string): unknown {
  try {
    return (JSON.parse(body) as { error?: unknown } | null)?.error;
  } catch {
    return null;
  }
}
