/* The successful responses of routes other than 200. */

/** 201 with the new resource as JSON. */
export function created(value: unknown): Response {
  return Response.json(value, { status: 201 });
}

/** 202: the request is stored and will be processed later. */
export function accepted(value: unknown): Response {
  return Response.json(value, { status: 202 });
}

/** 204: the request succeeded, and there is no body. */
export function noContent(): Response {
  return new Response(null, { status: 204 });
}
