import { describe, expect, it } from 'vitest';
import { SiteUnavailableError, StoppingError } from '#server/core/errors';
import { errorResponse, isFault } from '#server/http/error-response';

describe('a server that stops', () => {
  it('asks for the request again later, and is no fault', async () => {
    const response = errorResponse(new StoppingError());
    expect({ status: response.status, retryAfter: response.headers.get('retry-after') }).toEqual({
      status: 503,
      retryAfter: '5',
    });
    expect(await response.json()).toMatchObject({ error: { code: 'stopping' } });
    expect(isFault(new StoppingError())).toBe(false);
  });
});

it('a connected site that does not answer is told as what stands behind us', async () => {
  const response = errorResponse(new SiteUnavailableError('blog.test cannot be reached (ECONNREFUSED).'));
  expect(response.status).toBe(502);
  expect(await response.json()).toEqual({
    error: { code: 'site_unavailable', message: 'blog.test cannot be reached (ECONNREFUSED).' },
  });
});
