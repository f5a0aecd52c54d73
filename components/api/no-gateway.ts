/*
 * Takes the place of `@ai-sdk/gateway` in the browser (next.config.ts): the AI SDK brings that client of a hosted
 * service along, a tenth of all our scripts, and a browser of ours never talks to a model.
 */

export class GatewayError extends Error {}
export class GatewayAuthenticationError extends GatewayError {}

export const gateway = undefined;

export function createGateway(): never {
  throw new GatewayError('There is no gateway in the browser.');
}
