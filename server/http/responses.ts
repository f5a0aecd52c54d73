/** 201 with the thing that was made. */
export function created(value: unknown): Response {
  return Response.json(value, { status: 201 });
}

/** 202: kept for later. */
export function accepted(value: unknown): Response {
  return Response.json(value, { status: 202 });
}

/** 204: done, or there is nothing to tell. */
export function noContent(): Response {
  return new Response(null, { status: 204 });
}
