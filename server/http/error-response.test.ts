import { describe, expect, it } from 'vitest';
import { StoppingError } from '#server/core/errors';
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
