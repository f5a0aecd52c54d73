import { RateLimitedError } from '#server/core/errors';

/** When one of them may have ended; nobody knows. Milliseconds. */
const RETRY_MS = 5_000;

/** For a user as many of whose turns and completions run as may at once. */
export function tooManyRunning(most: number): RateLimitedError {
  const running = most === 1 ? 'A turn or completion is' : `${most.toLocaleString('en-US')} turns and completions are`;
  return new RateLimitedError(`${running} running already. Wait until one has ended, or cancel one.`, RETRY_MS);
}
