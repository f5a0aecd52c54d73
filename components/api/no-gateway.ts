/* Replaces `@ai-sdk/gateway` in the browser (next.config.ts): the AI SDK includes that client of a hosted service, a
   tenth of all our scripts, but our pages never call a model directly. */

/* The names that the AI SDK imports; all of them are unused in the browser. */

/** Error class of the replaced package. */
export class GatewayError extends Error {}
/** Error class of the replaced package. */
export class GatewayAuthenticationError extends GatewayError {}

/** The default gateway of the replaced package; there is none. */
export const gateway = undefined;

/** @throws GatewayError always */
export function createGateway(): never {
  throw new GatewayError('There is no gateway in the browser.');
}
