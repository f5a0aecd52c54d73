/** What is left of a rate limit after a request. A refused request leaves nothing. */
export interface Quota {
  /** Name of the limit, as its header gives it. */
  readonly policy: string;
  /** Requests within `seconds`. */
  readonly limit: number;
  readonly seconds: number;
  readonly remaining: number;
  /** Milliseconds until more than `remaining` is left. */
  readonly refillMs: number;
}
