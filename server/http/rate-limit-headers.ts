import type { Quota } from '#server/core/admin/quota';

/**
 * Headers that report what is left of a rate limit, as draft-ietf-httpapi-ratelimit-headers-10 defines them: `q` requests
 * within `w` seconds; `r` are left, and more will be in `t` seconds.
 */
export function rateLimitHeaders({ policy, limit, seconds, remaining, refillMs }: Quota): Record<string, string> {
  return {
    'ratelimit-policy': `"${policy}";q=${limit};w=${seconds}`,
    ratelimit: `"${policy}";r=${remaining};t=${Math.ceil(refillMs / 1_000)}`,
  };
}
